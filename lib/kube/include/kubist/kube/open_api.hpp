#pragma once
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include <kubist/data/schema.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/kube/api_resource.hpp>

namespace kubist::kube {

/// "/openapi/v3/apis/apps/v1": where the server describes the kinds of a group and version.
std::string open_api_path(const ApiResource& resource);
/// Is a component of such a document the description of that kind?
bool describes(const data::Json& component, const ApiResource& resource);

/// Which fields the kinds of an API server have, built-in ones and CRDs alike, by its OpenAPI v3
/// documents: one request for each group and version, and none where an earlier process asked. The
/// cache on disk keeps only the names of fields (some percent of a document) and has no age: it
/// may be behind the server, so what it says against an object must be looked up fresh before it
/// counts. Thread-safe; blocks in the calls that may send requests.
class OpenApi {
 public:
  /// `server` is the base URL; `folder` is where documents are kept, empty: nowhere.
  OpenApi(std::shared_ptr<http::Transport> transport, std::string server,
          std::filesystem::path folder);
  ~OpenApi();

  /// What the cache may say, or what the server said in this process.
  enum class Source { cache, server };

  /// A schema that knows of a kind's fields and of nothing else (no types, no limits): it finds the
  /// unknown ones. What takes any field (preserved ones, RawExtension, maps) takes them here too.
  /// Null: the server does not describe the kind, or could not be asked.
  std::shared_ptr<const data::Schema> fields_of(const ApiResource& resource, Source source,
                                                const std::stop_token& stop);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// The same from the openAPIV3Schema of a CRD that the server may not have yet; null where that is
/// no schema.
std::shared_ptr<const data::Schema> fields_of_crd_schema(const data::Json& schema);

}  // namespace kubist::kube
