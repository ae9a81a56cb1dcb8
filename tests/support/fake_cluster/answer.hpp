#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/http/transport.hpp>

#include "kinds.hpp"

namespace kubist::testing {

/// A request to the fake, taken apart.
struct FakeRequest {
  std::string method;
  std::string target;  ///< path and query
  std::string path;
  std::map<std::string, std::string> query;
  std::string content_type;
  std::string accept;
  std::string user_agent;
  std::string body;
  bool has_permit = false;  ///< of http::Request
  std::string as;           ///< Impersonate-User
  // Of a path to objects:
  std::string group, version, plural, ns, name, subresource;

  static FakeRequest of(const http::Request& request);
  bool dry_run() const;
  std::string field_manager() const;
  /// As audit logs say: get, list, watch, create, update, patch, delete.
  std::string verb() const;
  std::string group_resource() const;
};

/// A refusal, thrown where it is found and answered as a Status.
struct Refusal {
  int status;
  std::string reason;
  std::string message;
  data::Json details = nullptr;
};

http::Response json_answer(int status, const data::Json& body);
http::Response status_answer(const Refusal& refusal);

// What the API server says (k8s.io/apimachinery/pkg/api/errors).
Refusal not_served();
Refusal not_found(const FakeRequest& request);
Refusal already_exists(const FakeRequest& request, const std::string& name);
Refusal conflict(const FakeRequest& request, const std::string& why);
Refusal bad_request(std::string message);
/// One cause a pair: field and message.
Refusal invalid(const FakeKind& kind, const std::string& name,
                const std::vector<std::pair<std::string, std::string>>& causes);

}  // namespace kubist::testing
