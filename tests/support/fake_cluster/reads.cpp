#include <kubist/data/pointer.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "server.hpp"

namespace kubist::testing {

using data::Json;
using util::cat;

namespace {

bool wants_metadata(const FakeRequest& request) {
  return request.accept.find("as=PartialObjectMetadata") != request.accept.npos;
}

http::Response discovered(const Json& document) {
  http::Response response = json_answer(200, document);
  response.headers = {
      {"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}};
  return response;
}

}  // namespace

std::optional<Json> FakeServer::review(const FakeRequest& request) const {
  if (request.plural == "selfsubjectaccessreviews") {
    Json body = Json::parse(request.body);
    const auto verb = data::string_at(body, {"spec", "resourceAttributes", "verb"});
    body["status"] = {{"allowed", !request.as.empty() || !m_denied.contains(std::string(verb))}};
    return body;
  }
  if (request.plural == "selfsubjectreviews") {
    return Json{{"apiVersion", "authentication.k8s.io/v1"},
                {"kind", "SelfSubjectReview"},
                {"status", {{"userInfo", {{"username", "fake-user"}}}}}};
  }
  return std::nullopt;
}

std::string FakeServer::fresh_uid() { return util::random_uuid(); }

const FakeKind& FakeServer::kind_of(const FakeRequest& request) const {
  const FakeKind* kind = m_kinds.find(request.group, request.version, request.plural);
  if (kind == nullptr || (!request.ns.empty() && !kind->resource.namespaced) ||
      (!request.subresource.empty() && !kind->resource.has_subresource(request.subresource))) {
    throw not_served();
  }
  return *kind;
}

http::Response FakeServer::serve(const FakeRequest& request) {
  if (request.path == "/version") {
    return json_answer(
        200,
        {{"major", "1"}, {"minor", "34"}, {"gitVersion", "v1.34.4"}, {"platform", "linux/amd64"}});
  }
  if (request.path == "/api" || request.path == "/apis") {
    return discovered(m_kinds.discovery(request.path == "/api"));
  }
  if (const auto answer = review(request)) {
    return json_answer(201, *answer);
  }
  if (m_kinds.is_silent(request.group)) {
    throw Refusal{503, "ServiceUnavailable",
                  "the server is currently unable to handle the request"};
  }
  const FakeKind& kind = kind_of(request);
  if (request.method == "GET") {
    return request.name.empty() ? list(request, kind) : read(request, kind);
  }
  if (request.method == "POST" && request.name.empty()) {
    return create(request, kind);
  }
  if (request.method == "PUT" && !request.name.empty()) {
    return replace(request, kind);
  }
  if (request.method == "PATCH" && !request.name.empty()) {
    return request.content_type == "application/apply-patch+yaml" ? apply(request, kind)
                                                                  : patch(request, kind);
  }
  if (request.method == "DELETE" && !request.name.empty() && request.subresource.empty()) {
    return remove(request, kind);
  }
  throw Refusal{405, "MethodNotAllowed",
                "the server does not allow this method on the requested resource"};
}

const Json& FakeServer::live(const FakeRequest& request, const FakeKind& kind) const {
  const Json* found = m_store.find(key_of(kind), request.ns, request.name);
  if (found == nullptr) {
    throw not_found(request);
  }
  return *found;
}

http::Response FakeServer::read(const FakeRequest& request, const FakeKind& kind) {
  const Json& object = live(request, kind);
  FakeFilter filter;
  filter.metadata_only = wants_metadata(request);
  return json_answer(200, filter.form(object));
}

FakeFilter FakeServer::filter_of(const FakeRequest& request) {
  const auto query = [&](const char* key) {
    const auto found = request.query.find(key);
    return found == request.query.end() ? std::string() : found->second;
  };
  return {key_of(kind_of(request)), request.ns, query("labelSelector"), query("fieldSelector"),
          wants_metadata(request)};
}

http::Response FakeServer::list(const FakeRequest& request, const FakeKind& kind) {
  const FakeFilter filter = filter_of(request);
  const auto limit = request.query.find("limit");
  const auto token = request.query.find("continue");
  Page page;
  if (token != request.query.end()) {
    const auto known = m_pages.find(token->second);
    if (known == m_pages.end()) {
      throw Refusal{
          410, "Expired",
          "The provided continue parameter is too old to display a consistent list result."};
    }
    page = known->second;
  } else {
    page.version = std::to_string(m_store.version());
    for (const Json& object : m_store.list(filter.kind, filter.ns)) {
      if (filter.takes(object)) {
        page.rest.push_back(filter.form(object));
      }
    }
  }
  const std::size_t most =
      limit == request.query.end() ? page.rest.size() : std::stoul(limit->second);
  Json metadata{{"resourceVersion", page.version}};
  Json items = Json::array();
  for (std::size_t i = 0; i < std::min(most, page.rest.size()); ++i) {
    items.push_back(page.rest[i]);
    if (!kind.custom && !filter.metadata_only) {
      items.back().erase("apiVersion");
      items.back().erase("kind");
    }
  }
  if (page.rest.size() > most) {
    page.rest.erase(page.rest.begin(), page.rest.begin() + static_cast<long>(most));
    const std::string next = cat("page-", ++m_tokens);
    metadata["continue"] = next;
    if (filter.label_selector.empty() && filter.field_selector.empty()) {
      metadata["remainingItemCount"] = page.rest.size();
    }
    m_pages[next] = std::move(page);
  }
  const std::string list_kind =
      filter.metadata_only ? "PartialObjectMetadataList" : kind.resource.kind + "List";
  const std::string api_version =
      filter.metadata_only ? "meta.k8s.io/v1" : kind.resource.api_version();
  http::Response response = json_answer(200, nullptr);
  // Go's types have metadata before the items, maps (custom kinds) after them.
  response.body = kind.custom && !filter.metadata_only
                      ? cat(R"({"apiVersion":")", api_version, R"(","items":)", items.dump(),
                            R"(,"kind":")", list_kind, R"(","metadata":)", metadata.dump(), "}")
                      : cat(R"({"kind":")", list_kind, R"(","apiVersion":")", api_version,
                            R"(","metadata":)", metadata.dump(), R"(,"items":)", items.dump(), "}");
  return response;
}

}  // namespace kubist::testing
