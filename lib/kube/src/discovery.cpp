#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>

#include <kubist/http/url.hpp>
#include <kubist/kube/discovery.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "discovery_cache.hpp"
#include "discovery_documents.hpp"
#include "discovery_requests.hpp"

namespace kubist::kube {
namespace {

using data::Json;
using util::ErrorKind;

constexpr std::size_t k_max_paths = 1'000;
constexpr std::size_t k_paths_at_once = 8;  // their documents wait in memory for each other
constexpr std::size_t k_max_kinds = 20'000;
constexpr std::size_t k_max_record = std::size_t{4} << 20U;  // what is kept of them, as text

/// It may be a member's server.
tl::unexpected<util::Error> too_large(const std::string& server, std::string_view limit) {
  return util::fail(
      ErrorKind::unavailable,
      util::cat("the lists of kinds of ", http::redacted(server), " have more than ", limit),
      "Remove CustomResourceDefinitions that nobody uses, or correct the kubeconfig's server.",
      std::string(http::k_failure_too_large));
}

/// What is written of a record that is not too large.
util::Result<std::string> text_of(const std::string& server, const DiscoveryRecord& record) {
  if (record.resources.size() > k_max_kinds) {
    return too_large(server, util::cat(k_max_kinds, " kinds"));
  }
  std::string text = write_record(record);
  if (text.size() > k_max_record) {
    return too_large(server, util::cat(k_max_record, " bytes of names"));
  }
  return text;
}

}  // namespace

struct Discovery::State {
  std::shared_ptr<http::Transport> transport;
  std::string server;
  DiscoveryCache cache;
  DiscoveryLimits limits;
  std::mutex mutex;          // held during requests: others wait for the same answer
  mutable std::mutex quick;  // guards what follows
  std::shared_ptr<const ResourceIndex> index;
  DiscoveryRecord record;  // without its resources, which the index owns
  std::optional<std::chrono::steady_clock::time_point>
      asked_at;                     // begin of the last fetch, guarded by `mutex`
  std::atomic<bool> ready = false;  // index may be used

  std::shared_ptr<const ResourceIndex> current() const {
    const std::lock_guard lock(quick);
    return index;
  }

  void set(DiscoveryRecord fresh) {
    auto built = std::make_shared<const ResourceIndex>(std::move(fresh.resources));
    fresh.resources.clear();
    const std::lock_guard lock(quick);
    index = std::move(built);
    record = std::move(fresh);
  }

  /// From the cache on disk, if it is young enough.
  bool load() {
    std::error_code error;
    const auto written = cache.file.empty() ? std::filesystem::file_time_type::min()
                                            : std::filesystem::last_write_time(cache.file, error);
    if (cache.file.empty() || error) {
      return false;
    }
    const auto text = util::read_file(cache.file);
    DiscoveryRecord loaded;
    if (!text || !read_record(*text, loaded)) {
      return false;
    }
    set(std::move(loaded));  // an old one still saves the download where its ETag holds
    return std::filesystem::file_time_type::clock::now() - written < cache.max_age;
  }

  void save(const DiscoveryRecord& fresh, const std::string& text) const {
    if (!cache.file.empty() && !fresh.resources.empty()) {
      // A cache that cannot be written costs two requests a run, no more.
      static_cast<void>(util::write_file(cache.file, text, 0600));
      keep_few(cache.file.parent_path());
    }
  }

  util::Result<> fetch(const std::stop_token& stop) {
    const auto began = std::chrono::steady_clock::now();
    KUBIST_CHECK(fetch_now(stop));
    asked_at = began;
    ready = true;
    return {};
  }

  std::vector<DiscoveryAnswer> ask_for_both(const std::string& etag_api,
                                            const std::string& etag_apis, DiscoveryBudget& budget,
                                            const std::stop_token& stop) const {
    return send_all(*transport,
                    {discovery_request(server, "/api", limits.bytes, etag_api),
                     discovery_request(server, "/apis", limits.bytes, etag_apis)},
                    budget, stop);
  }

  util::Result<> fetch_now(const std::stop_token& stop) {
    const bool known = index != nullptr && !record.etag_api.empty() && !record.etag_apis.empty();
    DiscoveryBudget budget(server, limits);
    auto answers = known ? ask_for_both(record.etag_api, record.etag_apis, budget, stop)
                         : ask_for_both("", "", budget, stop);
    if (known && answers[0] && answers[1] && answers[0]->status == 304 &&
        answers[1]->status == 304) {
      std::error_code ignored;
      if (!cache.file.empty()) {
        std::filesystem::last_write_time(cache.file, std::filesystem::file_time_type::clock::now(),
                                         ignored);
      }
      return {};
    }
    if (known) {  // one half changed: both are needed in full
      answers = ask_for_both("", "", budget, stop);
    }
    KUBIST_TRY(const Json api, body_of(server + "/api", answers[0]));
    KUBIST_TRY(const Json apis, body_of(server + "/apis", answers[1]));
    DiscoveryRecord fresh;
    if (is_aggregated(*answers[0]) && is_aggregated(*answers[1])) {
      read_aggregated(api, fresh.resources, fresh.failed);
      read_aggregated(apis, fresh.resources, fresh.failed);
      fresh.etag_api = etag_of(*answers[0]);
      fresh.etag_apis = etag_of(*answers[1]);
    } else {
      KUBIST_CHECK(fetch_legacy(api, apis, fresh, budget, stop));
    }
    KUBIST_TRY(const std::string text, text_of(server, fresh));
    if (std::chrono::steady_clock::now() < budget.until) {  // else groups are missing by chance
      save(fresh, text);
    }
    set(std::move(fresh));
    return {};
  }

  util::Result<> fetch_legacy(const Json& api, const Json& apis, DiscoveryRecord& fresh,
                              DiscoveryBudget& budget, const std::stop_token& stop) {
    const std::vector<std::string> paths = legacy_paths(api, apis);
    if (paths.size() > k_max_paths) {
      return too_large(server, util::cat(k_max_paths, " versions of groups"));
    }
    for (std::size_t i = 0; i < paths.size() && fresh.resources.size() <= k_max_kinds;
         i += k_paths_at_once) {
      KUBIST_CHECK(
          fetch_some(std::span(paths).subspan(i).first(std::min(k_paths_at_once, paths.size() - i)),
                     fresh, budget, stop));
    }
    return {};
  }

  util::Result<> fetch_some(std::span<const std::string> paths, DiscoveryRecord& fresh,
                            DiscoveryBudget& budget, const std::stop_token& stop) {
    std::vector<http::Request> requests;
    for (const std::string& path : paths) {
      requests.push_back(discovery_request(server, path, limits.group_bytes));
      requests.back().timeout = limits.time / 6;  // one that hangs takes no time from all others
    }
    const auto answers = send_all(*transport, std::move(requests), budget, stop);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const auto document = body_of(server + paths[i], answers[i]);
      if (document) {
        read_legacy(*document, fresh.resources);
      } else if (document.error().kind == ErrorKind::cancelled) {
        return util::fail(document.error());
      } else if (document.error().kind != ErrorKind::not_found) {  // else it has gone meanwhile
        const auto pieces = util::split(paths[i], '/');            // "", "apis", group, version
        fresh.failed.push_back(pieces.size() > 3 ? pieces[2] : "");
      }
    }
    return {};
  }
};

Discovery::Discovery(std::shared_ptr<http::Transport> transport, std::string server,
                     DiscoveryCache cache, DiscoveryLimits limits)
    : m_state(std::make_unique<State>()) {
  m_state->transport = std::move(transport);
  m_state->server = std::move(server);
  m_state->cache = std::move(cache);
  m_state->limits = limits;
}
Discovery::~Discovery() = default;

util::Result<std::shared_ptr<const ResourceIndex>> Discovery::index(std::stop_token stop) {
  if (m_state->ready) {
    return m_state->current();
  }
  const std::lock_guard lock(m_state->mutex);
  if (!m_state->ready) {
    if (!m_state->load()) {
      KUBIST_CHECK(m_state->fetch(stop));
    }
    m_state->ready = true;
  }
  return m_state->current();
}

std::shared_ptr<const ResourceIndex> Discovery::known() const {
  return m_state->ready ? m_state->current() : nullptr;
}

util::Result<std::shared_ptr<const ResourceIndex>> Discovery::refresh(std::stop_token stop) {
  const auto called = std::chrono::steady_clock::now();
  const std::lock_guard lock(m_state->mutex);
  // An answer that somebody else asked for meanwhile serves as well.
  if (!m_state->asked_at || *m_state->asked_at < called) {
    if (!m_state->ready) {
      m_state->load();
    }
    KUBIST_CHECK(m_state->fetch(stop));
  }
  return m_state->current();
}

util::Result<std::optional<ApiResource>> Discovery::served(std::string_view group,
                                                           std::string_view version,
                                                           std::string_view kind,
                                                           const std::stop_token& stop) {
  KUBIST_TRY(auto known, index(stop));
  const ApiResource* found = known->by_kind(group, version, kind);
  if (found == nullptr) {
    KUBIST_TRY(known, refresh(stop));
    found = known->by_kind(group, version, kind);
  }
  if (found == nullptr) {
    KUBIST_CHECK(check_answers(group));
  }
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

util::Result<ApiResource> Discovery::find_kind(std::string_view api_version, std::string_view kind,
                                               std::stop_token stop) {
  const auto slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? "" : api_version.substr(0, slash);
  const std::string_view version =
      slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  KUBIST_TRY(const auto found, served(group, version, kind, stop));
  if (found) {
    return *found;
  }
  const auto known = m_state->current();
  std::vector<std::string> kinds;
  for (const ApiResource& resource : known->all()) {
    kinds.push_back(resource.api_version() + '/' + resource.kind);
  }
  return util::fail(ErrorKind::not_found,
                    util::cat("the cluster has no kind ", kind, " in ", api_version,
                              util::did_you_mean(util::cat(api_version, '/', kind), kinds)),
                    known->has_group(group) ? "See `kubist api-resources`."
                    : group == "kubist.io"  ? "Run `kubist init`: it installs kubist's kinds."
                                            : "Is its CustomResourceDefinition installed?");
}

util::Result<ApiResource> Discovery::find_word(std::string_view word, std::stop_token stop) {
  KUBIST_TRY(auto known, index(stop));
  if (const ApiResource* found = known->by_word(word)) {
    return *found;
  }
  KUBIST_TRY(known, refresh(stop));
  if (const ApiResource* found = known->by_word(word)) {
    return *found;
  }
  return util::fail(ErrorKind::not_found,
                    util::cat("the server doesn't have a resource type \"", word, '"',
                              util::did_you_mean(word, known->words())),
                    "See `kubist api-resources`.");
}

util::Result<> Discovery::check_answers(std::string_view group) const {
  const std::vector<std::string> silent = failed_groups();
  if (std::find(silent.begin(), silent.end(), group) == silent.end()) {
    return {};
  }
  return util::fail(ErrorKind::unavailable,
                    util::cat("the server of API group ", group, " does not answer"),
                    "See kubectl get apiservices.");
}

std::vector<std::string> Discovery::failed_groups() const {
  const std::lock_guard lock(m_state->quick);
  return m_state->record.failed;
}

}  // namespace kubist::kube
