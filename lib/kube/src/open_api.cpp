#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <optional>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/open_api.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "answers.hpp"
#include "field_names.hpp"

namespace kubist::kube {

using data::Json;
using util::cat;

namespace {

constexpr int k_format = 1;  // of files in the cache

/// One GET; null unless it brings a JSON object.
Json fetch(http::Transport& transport, const std::string& url, const std::stop_token& stop) {
  http::Request request;
  request.url = url;
  request.max_body = k_max_schema_reply;
  request.headers = {{"Accept", "application/json"}, {"User-Agent", "kubist"}};
  auto promise = std::make_shared<std::promise<util::Result<http::Response>>>();
  auto future = promise->get_future();
  const http::Call call = transport.start(
      std::move(request),
      [promise](util::Result<http::Response> outcome) { promise->set_value(std::move(outcome)); });
  const std::stop_callback on_stop(stop, [&call] { call.cancel(); });
  const auto outcome = future.get();
  auto document =
      outcome && outcome->status == 200 ? parse_answer(outcome->body) : util::Result<Json>(Json());
  return document && document->is_object() ? *std::move(document) : Json();
}

std::shared_ptr<const data::Schema> compile(const Json& schema, const Json& components) {
  auto compiled = data::Schema::compile(schema, components);
  return compiled ? std::make_shared<const data::Schema>(*std::move(compiled)) : nullptr;
}

}  // namespace

std::string open_api_path(const ApiResource& resource) {
  return cat("/openapi/v3/", resource.group.empty() ? "api/" : "apis/", resource.api_version());
}

bool describes(const Json& component, const ApiResource& resource) {
  const Json& kinds = data::array_at(component, {"x-kubernetes-group-version-kind"});
  return std::any_of(kinds.begin(), kinds.end(), [&](const Json& kind) {
    return data::string_at(kind, {"group"}) == resource.group &&
           data::string_at(kind, {"version"}) == resource.version &&
           data::string_at(kind, {"kind"}) == resource.kind;
  });
}

std::shared_ptr<const data::Schema> fields_of_crd_schema(const Json& schema) {
  return compile(field_names(schema), nullptr);
}

/// One group and version.
struct Document {
  std::optional<OpenApi::Source> source;  ///< of `names`; nothing: not looked for yet
  Json names;
  std::map<std::string, std::shared_ptr<const data::Schema>> compiled;  ///< by kind
};

struct OpenApi::State {
  std::shared_ptr<http::Transport> transport;
  std::string server;
  std::filesystem::path folder;
  std::mutex mutex;  // held during requests: others wait for the same answer
  std::map<std::string, Document> documents;

  std::filesystem::path file_of(const ApiResource& resource) const {
    return folder / cat(util::replace_all(resource.api_version(), "/", "_"), ".json");
  }

  void load(Document& document, const ApiResource& resource) const {
    if (folder.empty()) {
      return;
    }
    const auto text = util::read_file(file_of(resource));
    if (!text) {
      return;
    }
    Json kept = Json::parse(*text, nullptr, false);
    if (kept.is_object() && data::int_at(kept, {"format"}) == k_format) {
      document = {Source::cache, std::move(kept), {}};
    }
  }

  void ask(Document& document, const ApiResource& resource, const std::stop_token& stop) const {
    const Json answer = fetch(*transport, server + open_api_path(resource), stop);
    document = {
        Source::server, field_names_of_document(answer, resource.group, resource.version), {}};
    if (answer.is_null()) {
      return;
    }
    document.names["format"] = k_format;
    if (!folder.empty()) {
      // A cache that cannot be written costs a request a run, no more.
      static_cast<void>(util::write_file(file_of(resource), document.names.dump(), 0600));
    }
  }
};

OpenApi::OpenApi(std::shared_ptr<http::Transport> transport, std::string server,
                 std::filesystem::path folder)
    : m_state(std::make_unique<State>()) {
  m_state->transport = std::move(transport);
  m_state->server = std::move(server);
  m_state->folder = std::move(folder);
}
OpenApi::~OpenApi() = default;

std::shared_ptr<const data::Schema> OpenApi::fields_of(const ApiResource& resource, Source source,
                                                       const std::stop_token& stop) {
  const std::lock_guard lock(m_state->mutex);
  Document& document = m_state->documents[resource.api_version()];
  if (!document.source) {
    m_state->load(document, resource);
  }
  const auto component = [&] { return data::string_at(document.names, {"kinds", resource.kind}); };
  const bool asked = document.source == Source::server;
  if (!asked && (source == Source::server || !document.source || component().empty())) {
    m_state->ask(document, resource, stop);
  }
  if (component().empty()) {
    return nullptr;
  }
  auto& compiled = document.compiled[resource.kind];
  if (!compiled) {
    compiled = compile({{"$ref", cat("#/schemas/", component())}}, document.names["schemas"]);
  }
  return compiled;
}

}  // namespace kubist::kube
