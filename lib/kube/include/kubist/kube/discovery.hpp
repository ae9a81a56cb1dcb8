#pragma once
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/http/transport.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/util/result.hpp>

namespace kubist::kube {

/// The resources of one API server with their indexes. Immutable: share it freely.
class ResourceIndex {
 public:
  /// `resources` in the order of preference: groups as the server lists them, each group's
  /// preferred version first.
  explicit ResourceIndex(std::vector<ApiResource> resources);

  const std::vector<ApiResource>& all() const { return m_resources; }
  /// An exact kind; null when it is not served. An empty `version` takes the preferred one.
  const ApiResource* by_kind(std::string_view group, std::string_view version,
                             std::string_view kind) const;
  /// What a person types, any case: plural, singular, short name, kind, each also as `word.group`
  /// or `word.version.group`. Where several groups have the word, the first in order of preference
  /// wins, plurals before short names, as in kubectl.
  const ApiResource* by_word(std::string_view word) const;
  /// All preferred-version resources of a category ("all").
  std::vector<const ApiResource*> by_category(std::string_view category) const;
  /// Does the server have the group at all?
  bool has_group(std::string_view group) const;
  /// Every word by_word() takes without a group, for suggestions and completion.
  std::vector<std::string> words() const;

 private:
  const ApiResource* find_word(std::string_view word, std::string_view version,
                               std::string_view group) const;
  std::vector<ApiResource> m_resources;
  std::unordered_multimap<std::string, std::size_t> m_by_kind;  ///< lower-case kind
  std::unordered_multimap<std::string, std::size_t> m_by_word;  ///< lower-case word
};

/// Where and how long a discovery is kept on disk.
struct DiscoveryCache {
  std::filesystem::path file;  ///< empty: none
  std::chrono::seconds max_age{6 * 3600};
};

/// Of all documents of one look at what a server serves: it may be a member's.
struct DiscoveryLimits {
  std::chrono::milliseconds time = std::chrono::seconds(120);
  std::size_t bytes = std::size_t{64} << 20U;
  std::size_t group_bytes = std::size_t{4} << 20U;  ///< of a legacy document
};

/// The file for one API server below cache_folder()/discovery; the URL enters as a readable name.
/// Empty where there is no cache_folder().
std::filesystem::path discovery_cache_file(const std::string& server);

/// What an API server serves: from the cache on disk while it is young, else by aggregated
/// discovery (two requests, revalidated by ETag), else by the legacy documents, where groups that
/// fail, or pass the limits, are left out and remembered in failed_groups(). Thread-safe; blocks in
/// the calls that may send requests. Timeout, unavailable (reason TooLarge): the limits of a look.
class Discovery {
 public:
  /// `server` is the base URL. Nothing is sent before the first look-up.
  Discovery(std::shared_ptr<http::Transport> transport, std::string server, DiscoveryCache cache,
            DiscoveryLimits limits = {});
  ~Discovery();

  /// The present knowledge, loaded on the first call.
  util::Result<std::shared_ptr<const ResourceIndex>> index(std::stop_token stop = {});
  /// The same without a question to the server; null: nobody has loaded it yet.
  std::shared_ptr<const ResourceIndex> known() const;
  /// Asks the server again, whatever the cache says. Cheap when nothing changed (304).
  util::Result<std::shared_ptr<const ResourceIndex>> refresh(std::stop_token stop = {});

  /// Like ResourceIndex::by_kind, asking the server once more before it says that there is none
  /// (CRDs come and go). Unavailable: the server of that group does not answer.
  util::Result<std::optional<ApiResource>> served(std::string_view group, std::string_view version,
                                                  std::string_view kind,
                                                  const std::stop_token& stop = {});
  /// The same; not_found: no such kind, with a suggestion; other errors: the server could not be
  /// asked.
  util::Result<ApiResource> find_kind(std::string_view api_version, std::string_view kind,
                                      std::stop_token stop = {});
  util::Result<ApiResource> find_word(std::string_view word, std::stop_token stop = {});
  /// Unavailable: the server of that group did not answer (a broken APIService), so that a kind
  /// which is not known there may be served all the same.
  util::Result<> check_answers(std::string_view group) const;
  /// The groups of which check_answers() says so.
  std::vector<std::string> failed_groups() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace kubist::kube
