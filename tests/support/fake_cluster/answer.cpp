#include "answer.hpp"

#include <kubist/util/text.hpp>

namespace kubist::testing {

using data::Json;
using util::cat;

namespace {

/// [namespaces/NS/]PLURAL[/NAME[/SUBRESOURCE]]
void read_place(FakeRequest& request, std::vector<std::string> parts) {
  const auto at = [&](std::size_t index) { return index < parts.size() ? parts[index] : ""; };
  const bool of_namespace = request.group.empty() && parts.size() == 3 && at(0) == "namespaces" &&
                            (at(2) == "status" || at(2) == "finalize");
  if (at(0) == "namespaces" && parts.size() > 2 && !of_namespace) {
    request.ns = at(1);
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  request.plural = at(0);
  request.name = at(1);
  request.subresource = at(2);
}

}  // namespace

FakeRequest FakeRequest::of(const http::Request& request) {
  FakeRequest made;
  made.method = request.method;
  const auto host = request.url.find("://");
  const auto slash = request.url.find('/', host == std::string::npos ? 0 : host + 3);
  made.target = slash == std::string::npos ? "/" : request.url.substr(slash);
  const auto mark = made.target.find('?');
  made.path = made.target.substr(0, mark);
  const std::string query = mark == std::string::npos ? "" : made.target.substr(mark + 1);
  for (const std::string& pair : util::split(query, '&')) {
    const auto equals = pair.find('=');
    if (equals != std::string::npos) {
      made.query[pair.substr(0, equals)] = util::percent_decode(pair.substr(equals + 1));
    }
  }
  const auto header = [&](const char* name) {
    return std::string(http::find_header(request.headers, name).value_or(""));
  };
  made.content_type = header("Content-Type");
  made.accept = header("Accept");
  made.user_agent = header("User-Agent");
  made.as = header("Impersonate-User");
  made.has_permit = request.permit != nullptr;
  made.body = request.body ? *request.body : "";
  std::vector<std::string> parts;
  for (const std::string& part : util::split(made.path.substr(1), '/')) {
    parts.push_back(util::percent_decode(part));
  }
  if (parts.size() > 2 && parts[0] == "api") {
    made.version = parts[1];
    read_place(made, {parts.begin() + 2, parts.end()});
  } else if (parts.size() > 3 && parts[0] == "apis") {
    made.group = parts[1];
    made.version = parts[2];
    read_place(made, {parts.begin() + 3, parts.end()});
  }
  return made;
}

bool FakeRequest::dry_run() const {
  return query.contains("dryRun") || (method == "DELETE" && body.find("dryRun") != body.npos);
}

std::string FakeRequest::field_manager() const {
  const auto found = query.find("fieldManager");
  return found != query.end() ? found->second : user_agent.substr(0, user_agent.find('/'));
}

std::string FakeRequest::verb() const {
  if (method == "GET") {
    return query.contains("watch") ? "watch" : name.empty() ? "list" : "get";
  }
  return method == "POST" ? "create" : method == "PUT" ? "update" : util::lower(method);
}

std::string FakeRequest::group_resource() const {
  return group.empty() ? plural : cat(plural, '.', group);
}

http::Response json_answer(int status, const Json& body) {
  http::Response response;
  response.status = status;
  response.body = body.dump();
  response.headers.push_back({"Content-Type", "application/json"});
  return response;
}

http::Response status_answer(const Refusal& refusal) {
  Json body{{"kind", "Status"},      {"apiVersion", "v1"},         {"metadata", Json::object()},
            {"status", "Failure"},   {"message", refusal.message}, {"reason", refusal.reason},
            {"code", refusal.status}};
  if (!refusal.details.is_null()) {
    body["details"] = refusal.details;
  }
  return json_answer(refusal.status, body);
}

namespace {
Json details_of(const FakeRequest& request, const std::string& name) {
  return {{"name", name}, {"group", request.group}, {"kind", request.plural}};
}
}  // namespace

Refusal not_served() {
  return {404, "NotFound", "the server could not find the requested resource", Json::object()};
}

Refusal not_found(const FakeRequest& request) {
  return {404, "NotFound", cat(request.group_resource(), " \"", request.name, "\" not found"),
          details_of(request, request.name)};
}

Refusal already_exists(const FakeRequest& request, const std::string& name) {
  return {409, "AlreadyExists", cat(request.group_resource(), " \"", name, "\" already exists"),
          details_of(request, name)};
}

Refusal conflict(const FakeRequest& request, const std::string& why) {
  return {409, "Conflict",
          cat("Operation cannot be fulfilled on ", request.group_resource(), " \"", request.name,
              "\": ", why),
          details_of(request, request.name)};
}

Refusal bad_request(std::string message) { return {400, "BadRequest", std::move(message)}; }

Refusal invalid(const FakeKind& kind, const std::string& name,
                const std::vector<std::pair<std::string, std::string>>& causes) {
  Json list = Json::array();
  std::vector<std::string> texts;
  for (const auto& [field, message] : causes) {
    list.push_back({{"reason", "FieldValueInvalid"}, {"message", message}, {"field", field}});
    texts.push_back(cat(field, ": ", message));
  }
  const std::string& group = kind.resource.group;
  const std::string all = texts.size() == 1 ? texts[0] : cat('[', util::join(texts, ", "), ']');
  return {
      422,
      "Invalid",
      cat(kind.resource.kind, group.empty() ? "" : ".", group, " \"", name, "\" is invalid: ", all),
      {{"name", name}, {"group", group}, {"kind", kind.resource.kind}, {"causes", list}}};
}

}  // namespace kubist::testing
