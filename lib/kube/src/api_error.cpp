#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/http/url.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/util/text.hpp>

#include "answers.hpp"
#include "denied_right.hpp"

namespace kubist::kube {
namespace {

using data::Json;
using util::ErrorKind;

constexpr std::string_view k_field_conflict = "FieldManagerConflict";
constexpr std::string_view k_conflict_text = ": conflict with ";
// What a server-side apply says, by a 500, of an object that its kind's schema refuses: a wrong
// type, a key twice in a list, an unknown field (fieldmanager's structuredmerge.go).
constexpr std::string_view k_not_of_its_kind = "failed to create typed patch object";
constexpr std::string_view k_not_in_schema = ": field not declared in schema";
constexpr std::size_t k_shown_body = 300;
constexpr std::size_t k_longest_message = 16384;
constexpr std::size_t k_longest_cause = 1024;
constexpr std::size_t k_most_causes = 1'000;
constexpr std::size_t k_longest_warning = 4096;  // API servers cut all of an answer's there

/// As client-go's NewGenericServerResponse names what is no Status.
std::string_view reason_of(int status, std::string_view method) {
  switch (status) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 406:
      return "NotAcceptable";
    case 409:
      return method == "POST" ? "AlreadyExists" : "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "RequestEntityTooLarge";
    case 415:
      return "UnsupportedMediaType";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return status >= 500 ? "InternalError" : "Unknown";
  }
}

/// Webhooks and ValidatingAdmissionPolicies may answer any 4xx; only their words tell.
bool is_denial(std::string_view message) {
  const auto has = [&](std::string_view part) {
    return message.find(part) != std::string_view::npos;
  };
  return (has("admission webhook") && has("denied the request")) ||
         (has("ValidatingAdmissionPolicy") && has("denied request"));
}

/// Admission (quota, limits, PodSecurity, ...) says 403 as well; missing rights name the user.
bool is_admission(std::string_view message) {
  constexpr std::string_view k_forbidden = " is forbidden: ";
  const auto at = message.find(k_forbidden);
  const auto why = at == std::string_view::npos ? "" : message.substr(at + k_forbidden.size());
  return !why.empty() && !why.starts_with("User ") && !why.starts_with("user ");
}

ErrorKind kind_of(int status, std::string_view reason, std::string_view message) {
  if (status < 500 && is_denial(message)) {
    return ErrorKind::denied;
  }
  if (status == 504 || reason == "Timeout") {
    return ErrorKind::timeout;
  }
  if (message.find(k_not_of_its_kind) != std::string_view::npos) {
    return ErrorKind::invalid;
  }
  switch (status) {
    case 401:
    case 403:
      return ErrorKind::forbidden;
    case 404:
      return ErrorKind::not_found;
    case 409:
      return ErrorKind::conflict;
    case 408:
    case 410:
    case 429:
      return ErrorKind::unavailable;
    default:
      return status >= 500 ? ErrorKind::unavailable : ErrorKind::invalid;
  }
}

/// May the words of an answer become a command that grants a right?
enum class Grants { advised, never };

std::string hint_of(int status, std::string_view reason, std::string_view message, Grants grants) {
  if (status == 401) {
    return "The server does not accept the credentials: log in again, or check the kubeconfig's "
           "user.";
  }
  const auto has = [&](std::string_view part) {
    return message.find(part) != std::string_view::npos;
  };
  if (has("exceeded quota: ")) {
    return "Free what the quota counts, or have the ResourceQuota raised.";
  }
  if (has("violates PodSecurity")) {
    return "Change the pod's securityContext as the message says, or have the namespace's label "
           "pod-security.kubernetes.io/enforce changed.";
  }
  if (is_denial(message)) {
    return "Change the object as the message says, or ask who keeps that policy.";
  }
  if (has("because it is being terminated")) {
    return "The namespace is being deleted: wait until it is gone, or use another one.";
  }
  if (status == 403 && !is_admission(message)) {
    if (grants == Grants::never) {
      return "Whoever keeps that cluster grants the right to the kubeconfig's account.";
    }
    const std::string grant = grant_for(message);
    return grant.empty() ? std::string(k_ask_for_the_right) : grant;
  }
  if (has(k_not_in_schema)) {
    return "Server-side apply takes no unknown field, whatever --validate says: correct its name, "
           "or leave it out.";
  }
  if (has(k_not_of_its_kind)) {
    return "Correct the field that the message names: no server of this version takes it.";
  }
  if (status == 429) {
    return "The server is overloaded: try again later.";
  }
  if (reason == "Conflict" && message.find("object has been modified") != std::string_view::npos) {
    return "Somebody else changed the object meanwhile: run the command again.";
  }
  if (message.find("failed calling webhook") != std::string_view::npos) {
    return "An admission webhook does not answer: check the pods behind it.";
  }
  if (status >= 500) {
    return "The server has a fault: run the command again; if that does not help, see its log.";
  }
  return {};
}

void add_causes(util::Error& error, const Json& status) {
  const auto details = status.find("details");
  if (details == status.end() || !details->is_object()) {
    return;
  }
  const auto causes = details->find("causes");
  if (causes == details->end() || !causes->is_array()) {
    return;
  }
  for (const Json& cause : *causes) {
    if (!cause.is_object()) {
      continue;
    }
    if (error.details.size() == k_most_causes) {
      error.details.push_back(
          util::make_error(error.kind, util::cat("and more, ", causes->size(), " in all")));
      return;
    }
    const std::string field = util::shortened(data::string_at(cause, {"field"}), k_longest_cause);
    const std::string message =
        util::shortened(data::string_at(cause, {"message"}), k_longest_cause);
    error.details.push_back(
        util::make_error(error.kind, field.empty() ? message : util::cat(field, ": ", message), "",
                         util::shortened(data::string_at(cause, {"reason"}), k_longest_cause)));
  }
}

util::Error from_status(std::string_view context, const Json& status, int http_status,
                        std::string_view method, Grants grants) {
  const auto code = status.find("code");
  const int number =
      code != status.end() && code->is_number_integer() ? code->get<int>() : http_status;
  std::string reason = util::shortened(data::string_at(status, {"reason"}), k_longest_cause);
  if (reason.empty()) {
    reason = reason_of(number, method);
  }
  std::string message = util::shortened(data::string_at(status, {"message"}), k_longest_message);
  const bool answered = !message.empty();
  if (!answered) {
    message = util::cat("the server answered ", number, " (", reason, ')');
  }
  util::Error error =
      util::make_error(kind_of(number, reason, message), util::cat(context, ": ", message),
                       hint_of(number, reason, message, grants), reason);
  error.http_status = number;
  error.request = answered ? context : "";
  add_causes(error, status);
  return error;
}

FieldConflict parse_conflict(std::string field, std::string message) {
  FieldConflict conflict;
  conflict.field = std::move(field);
  // `conflict with "M"` for Apply, `conflict with "M" using V at T` for Update.
  const auto open = message.find('"');
  const auto close = message.find('"', open == std::string::npos ? open : open + 1);
  if (close != std::string::npos) {
    conflict.manager = message.substr(open + 1, close - open - 1);
    conflict.operation = message.find(" using ", close) != std::string::npos ? "Update" : "Apply";
  }
  conflict.message = std::move(message);
  return conflict;
}

}  // namespace

util::Error api_error(std::string_view method, std::string_view url,
                      const http::Response& response) {
  const std::string context = util::cat(method, ' ', http::redacted(url));
  const Grants grants = response.foreign ? Grants::never : Grants::advised;
  const auto body = parse_answer(response.body, k_max_refusal_values);
  if (body && data::string_at(*body, {"kind"}) == "Status") {
    return from_status(context, *body, response.status, method, grants);
  }
  Json synthesized = Json::object();
  std::string text{util::trim(response.body.substr(0, k_shown_body))};
  if (!text.empty() && text.front() != '<') {  // a proxy's HTML page says less than its status
    synthesized["message"] =
        util::cat("the server answered ", response.status, ": ", util::printable(text));
  }
  util::Error error = from_status(context, synthesized, response.status, method, grants);
  error.request.clear();
  if (response.status == 404 && url.find("/apis/kubist.io/") != std::string_view::npos) {
    error.hint = "The cluster does not have kubist's kinds: run `kubist init`.";
  }
  return error;
}

util::Error status_error(std::string_view context, const Json& status) {
  return from_status(context, status.is_object() ? status : Json::object(), 500, "GET",
                     Grants::never);
}

util::Error no_object(const ApiResource& resource, std::string_view name) {
  util::Error error = util::make_error(
      ErrorKind::not_found, util::cat(resource.group_resource(), " \"", name, "\" not found"), "",
      std::string(reason_of(404, "GET")));
  error.http_status = 404;
  return error;
}

std::vector<FieldConflict> field_conflicts(std::string_view body) {
  const auto status = data::parse_json(body, "answer");
  return status && status->is_object()
             ? field_conflicts(from_status("", *status, 409, "PATCH", Grants::never))
             : std::vector<FieldConflict>();
}

std::vector<FieldConflict> field_conflicts(const util::Error& error) {
  std::vector<FieldConflict> conflicts;
  for (const util::Error& detail : error.details) {
    const auto end = detail.message.find(k_conflict_text);
    if (detail.reason == k_field_conflict && end != std::string::npos) {
      conflicts.push_back(
          parse_conflict(detail.message.substr(0, end), detail.message.substr(end + 2)));
    }
  }
  return conflicts;
}

bool is_expired(const util::Error& error) {
  return error.http_status == 410 || error.reason == "Expired" || error.reason == "Gone";
}

bool is_conflict(const util::Error& error) { return error.http_status == 409; }

bool may_be_outdated(const util::Error& error) {
  return is_conflict(error) || error.http_status == 422;
}

bool already_exists(const util::Error& error) { return error.reason == "AlreadyExists"; }

std::vector<std::string> parse_warnings(const http::Headers& headers) {
  std::vector<std::string> texts;
  for (const http::Header& header : headers) {
    if (!util::iequals(header.name, "Warning")) {
      continue;
    }
    // warning-value = code SP agent SP quoted-string; several are separated by commas.
    const std::string& value = header.value;
    for (std::size_t open = value.find('"'); open != std::string::npos;
         open = value.find('"', open)) {
      std::string text;
      std::size_t at = open + 1;
      for (; at < value.size() && value[at] != '"'; ++at) {
        at += value[at] == '\\' && at + 1 < value.size() ? 1 : 0;
        text += value[at];
      }
      if (value.compare(0, 3, "299") == 0 && !text.empty()) {
        texts.push_back(util::printable(text.substr(0, k_longest_warning)));
      }
      open = at + 1;
      if (open >= value.size()) {
        break;
      }
      // A date in quotes may follow the text: skip to the next value.
      const auto comma = value.find(',', open);
      if (comma == std::string::npos) {
        break;
      }
      open = comma;
    }
  }
  return texts;
}

}  // namespace kubist::kube
