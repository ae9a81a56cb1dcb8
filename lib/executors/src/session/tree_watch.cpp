#include <atomic>
#include <map>
#include <optional>

#include <kubist/executors/tree_watch.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/clock.hpp>

#include "session/kind_watch.hpp"
#include "session/tree_cache.hpp"

namespace kubist::executors {

namespace {

/// What comes together is one change: a run writes several statuses.
constexpr std::chrono::milliseconds k_together{100};
constexpr std::chrono::seconds k_load_again{10};

}  // namespace

class TreeWatch::State {
 public:
  State(std::shared_ptr<kube::Client> home, std::set<std::string> namespaces,
        std::function<void(const std::string&)> away)
      : m_home(std::move(home)), m_namespaces(std::move(namespaces)), m_absences(std::move(away)) {
    for (const resources::Kind& kind : resources::kinds()) {
      if (kind.node || kind.definition) {
        keep(resource_of(kind),
             std::make_unique<KindWatch>(m_home, kind, watched(), m_inbox, m_absences, m_room));
      }
    }
  }

  util::Result<TreeView> next(const std::stop_token& stop) {
    if (m_loaded) {
      m_inbox.take(m_again, stop);
      util::sleep_for(k_together, stop);
    }
    m_inbox.take(Clock::now(), stop);
    m_source.missed = false;
    auto view = stop.stop_requested()
                    ? util::Result<TreeView>(util::fail(util::ErrorKind::cancelled, "stopped"))
                    : load_tree_view(*m_home, m_namespaces, stop, &m_source);
    m_loaded = true;
    if (view) {
      follow(view->snapshot.served);
    }
    // What no watch holds now, no watch will tell of.
    const bool whole = view && !m_source.missed && view->hidden.empty() &&
                       view->snapshot.warnings.empty() && !view->snapshot.incomplete;
    m_again = whole ? std::nullopt : std::optional(Clock::now() + k_load_again);
    return view;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// What the watches hold, and whether something was asked that they do not.
  class Source final : public ObjectSource {
   public:
    explicit Source(TreeCache& cache) : m_cache(cache) {}
    std::optional<Objects> list(const kube::ApiResource& resource, const std::string& ns,
                                const std::stop_token& stop) override {
      auto objects = m_cache.list(resource, ns, stop);
      missed = missed || !objects;
      return objects;
    }
    void wrote(const engine::Key& key, const std::string& uid,
               const std::string& resource_version) override {
      m_cache.wrote(key, uid, resource_version);
    }
    std::atomic<bool> missed = false;

   private:
    TreeCache& m_cache;
  };

  WatchedNamespaces watched() const {
    return {m_namespaces.size() == 1 ? *m_namespaces.begin() : ""};
  }

  void keep(const kube::ApiResource& resource, std::unique_ptr<KindWatch> watch) {
    auto& kept = m_kinds[resource.group_resource()];
    kept = std::move(watch);
    m_cache.add(resource, *kept);
  }

  /// Kinds that executors serve.
  void follow(const std::vector<kube::ApiResource>& served) {
    for (const kube::ApiResource& resource : served) {
      if (!m_kinds.contains(resource.group_resource())) {
        keep(resource,
             std::make_unique<KindWatch>(m_home, resource, watched(), m_inbox, m_absences, m_room));
      }
    }
  }

  const std::shared_ptr<kube::Client> m_home;
  const std::set<std::string> m_namespaces;
  Inbox m_inbox{Inbox::Wakes::by_everything};
  Absences m_absences;
  kube::Room m_room;
  std::map<std::string, std::unique_ptr<KindWatch>> m_kinds;  ///< by group and resource
  TreeCache m_cache;
  Source m_source{m_cache};
  bool m_loaded = false;
  std::optional<Clock::time_point> m_again;
};

TreeWatch::TreeWatch(std::shared_ptr<kube::Client> home, std::set<std::string> namespaces,
                     std::function<void(const std::string&)> away)
    : m_state(std::make_unique<State>(std::move(home), std::move(namespaces), std::move(away))) {}
TreeWatch::~TreeWatch() = default;

util::Result<TreeView> TreeWatch::next(const std::stop_token& stop) { return m_state->next(stop); }

}  // namespace kubist::executors
