#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/http/response.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/util/result.hpp>

namespace kubist::kube {

/// One field that another manager owns, from a 409 of a server-side apply.
struct FieldConflict {
  std::string manager;    ///< "kubectl-client-side-apply"
  std::string operation;  ///< "Update" or "Apply" where the server says so, else empty
  std::string field;      ///< ".spec.replicas"
  std::string message;    ///< as the server put it
  bool operator==(const FieldConflict&) const = default;
};

/// The Error of an answer with a status of 400 or more. `method` and `url` name the request. Kinds:
/// 401, 403 forbidden; 404 not_found; 409 conflict; 408, 429, 5xx unavailable; 504 and reason
/// Timeout timeout; denials by admission webhooks and policies denied; other 4xx invalid. `reason`
/// and `http_status` are the server's; each cause is one of `details` (its message starts with the
/// field). Bodies that are no Status (proxies, plain 404) give the reason that client-go would.
/// `hint` has no command made of the words of a foreign server.
util::Error api_error(std::string_view method, std::string_view url,
                      const http::Response& response);

/// The same from a metav1.Status value (ERROR events of a watch).
util::Error status_error(std::string_view context, const data::Json& status);

/// What a server answers where there is no such object, for who knows it from a list.
util::Error no_object(const ApiResource& resource, std::string_view name);

/// The conflicts in a body of a 409; empty for any other body.
std::vector<FieldConflict> field_conflicts(std::string_view body);
/// The conflicts that an Error of api_error() carries in its details.
std::vector<FieldConflict> field_conflicts(const util::Error& error);

/// Is the resourceVersion or continue token too old (410, reason Expired or Gone)?
bool is_expired(const util::Error& error);
/// Does the object exist already (reason AlreadyExists)?
bool already_exists(const util::Error& error);

/// Did the server refuse a write for what somebody else has written (409)? kubist's own conflicts,
/// as a lock that another holds, are none.
bool is_conflict(const util::Error& error);
/// Was the object no longer as it was read: is_conflict(), or a failed test of a JSON Patch? The
/// server says the latter by 422, as it does of a patch that makes an object invalid.
bool may_be_outdated(const util::Error& error);

/// Does the text have what a server says of a user who may not do something?
bool names_denied_user(std::string_view text);
/// That text as it is for each of several users who may not do it: not by whom, nor with the grant.
std::string without_denied_user(std::string_view text, std::string_view user);

/// The texts of the Warning headers (RFC 7234 5.5, `299 - "text"`), in order.
std::vector<std::string> parse_warnings(const http::Headers& headers);

}  // namespace kubist::kube
