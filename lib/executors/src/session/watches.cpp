#include "session/watches.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include <kubist/data/pointer.hpp>
#include <kubist/data/raw_format.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/resources/served.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "keep/traffic_place.hpp"

namespace kubist::executors {

using data::Json;
using engine::Cause;
using engine::Key;
using util::cat;
using Type = kube::WatchEventType;

void Inbox::push(Key key, engine::Trigger cause) {
  const std::lock_guard lock(m_mutex);
  m_events.emplace_back(std::move(key), std::move(cause));
  m_wake.notify_all();
}

void Inbox::wake() {
  const std::lock_guard lock(m_mutex);
  m_woken = true;
  m_wake.notify_all();
}

void Inbox::retry(Sight there) {
  const std::lock_guard lock(m_mutex);
  m_retries.push_back(std::move(there));
  m_woken = true;
  m_wake.notify_all();
}

std::vector<Sight> Inbox::take_retries() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_retries, {});
}

Inbox::Events Inbox::take(std::optional<std::chrono::steady_clock::time_point> until,
                          const std::stop_token& stop) {
  std::unique_lock lock(m_mutex);
  const auto ready = [this] { return !m_events.empty() || m_woken; };
  if (until) {
    m_wake.wait_until(lock, stop, *until, ready);
  } else {
    m_wake.wait(lock, stop, ready);
  }
  m_woken = false;
  return std::exchange(m_events, {});
}

namespace {

constexpr std::chrono::seconds k_begin_again{10};

}  // namespace

std::jthread watch_for_good(std::shared_ptr<kube::Client> client, kube::WatchOptions& options,
                            const std::string& name, Absences& absences, kube::WatchHandler handler,
                            const std::function<void(bool away)>& on_turn) {
  using Clock = std::chrono::steady_clock;
  options.lasting = true;
  options.on_trouble = [&absences, name, on_turn](const util::Error& error) {
    on_turn(true);
    absences.trouble(name, error, Clock::now());
  };
  options.on_back = [&absences, name, on_turn, sight = Sight{client, options.ns}] {
    on_turn(false);
    absences.back(name, Clock::now(), sight);
  };
  auto thread = util::start_thread([client = std::move(client), &options,
                                    handler = std::move(handler)](const std::stop_token& stop) {
    do {
      const auto ended =
          util::guarded([&] { return kube::watch(*client, options, handler, stop); });
      if (!ended) {
        options.on_trouble(ended.error());
      }
    } while (util::sleep_for(k_begin_again, stop));
  });
  if (!thread) {
    throw std::runtime_error(thread.error().message);
  }
  return *std::move(thread);
}

namespace {

using GroupKind = std::pair<std::string_view, std::string_view>;

/// What nodes of the graph may keep in their namespaces, by group and kind.
std::set<GroupKind> traffic_kinds(const engine::Graph& graph) {
  static const std::map<std::string_view, std::vector<GroupKind>> k_kept_kinds{
      {"Destination", {{"", "Service"}, {k_istio_group, "DestinationRule"}}},
      {"EntryGateway", {{k_istio_group, "Gateway"}}},
      {"ExternalService", {{k_istio_group, "ServiceEntry"}}},
      {"TrafficRoute",
       {{"", "Service"}, {k_istio_group, "VirtualService"}, {k_gateway_api_group, "HTTPRoute"}}}};
  std::set<GroupKind> kinds;
  for (const engine::Node& node : graph.nodes()) {
    const auto found = k_kept_kinds.find(node.key.kind);
    const bool served = resources::find_kind(node.key.group, node.key.kind) == nullptr;
    if (found == k_kept_kinds.end() && !served) {
      continue;
    }
    if (!served) {
      kinds.insert(found->second.begin(), found->second.end());
    }
    for (const Json& made : data::array_at(node.status(), {"inventory"})) {  // by an executor
      kinds.emplace(data::string_at(made, {"group"}), data::string_at(made, {"kind"}));
    }
  }
  return kinds;
}

}  // namespace

/// The watch of one kind on one cluster.
class DriftWatches::One {
 public:
  One(std::shared_ptr<kube::Client> client, const kube::ApiResource& resource,
      const std::string& home_uid, bool late, Inbox& inbox, Absences& absences)
      : m_home_uid(home_uid),
        m_late(late),
        m_inbox(inbox),
        m_absences(absences),
        m_name(cat(resource.group_resource(), " at ", client->server())) {
    m_options.resource = resource;
    m_options.label_selector = cat(resources::k_managed_by_label, "=kubist");
    m_options.form = kube::Form::metadata;
    m_thread = watch_for_good(std::move(client), m_options, m_name, absences,
                              [this](const kube::WatchEvent& event) { return take(event); });
  }
  /// From here on the runs have looked at what is listed.
  void be_late() { m_late = true; }
  ~One() {
    m_thread = {};  // ends and joins it
    m_absences.forget(m_name);
  }
  One(const One&) = delete;
  One& operator=(const One&) = delete;

 private:
  struct Known {
    Key owner;
    std::string resource_version;
    bool listed = false;  ///< by the listing that is under way
  };

  static std::string name_of(const kube::WatchEvent& event) {
    return cat(event.ns, '/', event.name);
  }

  /// "Namespace/shop-dev", of a name as in `m_known`.
  std::string named(std::string_view name) const {
    return cat(m_options.resource.kind, name.starts_with('/') ? "" : "/", name);
  }

  util::Result<> take(const kube::WatchEvent& event) {
    if (event.type == Type::relisted) {
      end_listing();
    } else if (event.type == Type::deleted) {
      forget(name_of(event));
    } else if (event.type != Type::bookmark) {
      return learn(event);
    }
    return {};
  }

  util::Result<> learn(const kube::WatchEvent& event) {
    const auto read = event.json();
    const Json object = read ? *read : data::outline(event.object);
    const auto parts =
        util::split(resources::ObjectView(object).annotation(k_owner_annotation), '/');
    if (parts.size() != 4 || parts[0] != m_home_uid) {
      forget(name_of(event));
      return {};
    }
    const auto [known, fresh] = m_known.try_emplace(name_of(event));
    const bool changed = known->second.resource_version != event.resource_version;
    const auto [group, kind] = resources::read_qualified_kind(parts[1]);
    known->second = {{group, kind, parts[2], parts[3]},
                     std::string(event.resource_version),
                     event.type == Type::listed};
    // A run looked at what a late listing finds first, but some time before it.
    const bool unsure = fresh && m_late && event.type == Type::listed;
    if (unsure || (!fresh && changed)) {
      m_inbox.push(known->second.owner, {Cause::drift, named(name_of(event))});
    }
    return {};
  }

  void forget(const std::string& name) {
    if (const auto known = m_known.extract(name)) {
      m_inbox.push(known.mapped().owner, {Cause::drift, named(name)});
    }
  }

  void end_listing() {
    std::vector<std::string> gone;
    for (auto& [name, known] : m_known) {
      if (!std::exchange(known.listed, false)) {
        gone.push_back(name);
      }
    }
    for (const std::string& name : gone) {
      forget(name);
    }
  }

  const std::string& m_home_uid;
  std::atomic<bool> m_late;
  Inbox& m_inbox;
  Absences& m_absences;
  std::string m_name;
  kube::WatchOptions m_options;
  std::map<std::string, Known> m_known;  ///< by namespace and name
  std::jthread m_thread;                 ///< last: it uses all of the above
};

DriftWatches::DriftWatches(std::string home_uid, Inbox& inbox, Absences& absences)
    : m_home_uid(std::move(home_uid)), m_inbox(inbox), m_absences(absences) {}
DriftWatches::~DriftWatches() = default;

void DriftWatches::follow(const std::vector<std::shared_ptr<kube::Client>>& clients,
                          const engine::Graph& graph, bool late) {
  std::erase_if(m_watches, [&](const auto& each) {
    return std::find(clients.begin(), clients.end(), each.first.first) == clients.end();
  });
  const auto kinds = traffic_kinds(graph);
  for (const auto& client : clients) {
    watch(client, kube::well_known::namespaces(), late);
    const auto index = kinds.empty() ? nullptr : client->discovery().index().value_or(nullptr);
    for (const auto& [group, kind] : kinds) {
      const kube::ApiResource* found = index ? index->by_kind(group, "", kind) : nullptr;
      if (found != nullptr) {
        watch(client, *found, late);
      }
    }
  }
}

void DriftWatches::watch(const std::shared_ptr<kube::Client>& client,
                         const kube::ApiResource& resource, bool late) {
  auto& present = m_watches[{client, resource.group_resource()}];
  if (!present) {
    present = std::make_unique<One>(client, resource, m_home_uid, late, m_inbox, m_absences);
  } else if (late) {
    present->be_late();
  }
}

}  // namespace kubist::executors
