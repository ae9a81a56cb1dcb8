#include "session/watches.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include <kubist/data/pointer.hpp>
#include <kubist/data/raw_format.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/resources/served.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "keep/inventory_book.hpp"
#include "keep/traffic_place.hpp"
#include "world/work.hpp"

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

void Inbox::saw() {
  if (m_wakes == Wakes::by_everything) {
    wake();
  }
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

kube::StandingWatch watch_for_good(const std::shared_ptr<kube::Client>& client,
                                   kube::WatchOptions& options, const std::string& name,
                                   Absences& absences, kube::WatchHandler handler,
                                   const std::function<void(bool away)>& on_turn) {
  using Clock = std::chrono::steady_clock;
  options.on_trouble = [&absences, name, on_turn](const util::Error& error) {
    on_turn(true);
    absences.trouble(name, error, Clock::now());
  };
  options.on_back = [&absences, name, on_turn, sight = Sight{client, options.ns}] {
    on_turn(false);
    absences.back(name, Clock::now(), sight);
  };
  auto begun = kube::StandingWatch::begin_lasting(client, options, std::move(handler));
  if (!begun) {
    throw std::runtime_error(begun.error().message);
  }
  return *std::move(begun);
}

namespace {

using GroupKind = std::pair<std::string_view, std::string_view>;

/// What nodes of the graph may keep in their namespaces, by group and kind.
std::set<GroupKind> kept_kinds(const engine::Graph& graph) {
  static const std::map<std::string_view, std::vector<GroupKind>> k_kept_kinds{
      {"Destination", {{"", "Service"}, {k_istio_group, "DestinationRule"}}},
      {"EntryGateway", {{k_istio_group, "Gateway"}}},
      {"ExternalService", {{k_istio_group, "ServiceEntry"}}},
      {"TrafficRoute",
       {{"", "Service"}, {k_istio_group, "VirtualService"}, {k_gateway_api_group, "HTTPRoute"}}}};
  std::set<GroupKind> kinds;
  const auto add_listed = [&](const Json& inventory) {
    for (const Json& made : inventory) {
      kinds.emplace(data::string_at(made, {"group"}), data::string_at(made, {"kind"}));
    }
  };
  for (const engine::Node& node : graph.nodes()) {
    add_listed(function_inventory(node.status()));
    const auto found = k_kept_kinds.find(node.key.kind);
    const bool served = resources::find_kind(node.key.group, node.key.kind) == nullptr;
    if (found == k_kept_kinds.end() && !served) {
      continue;
    }
    if (!served) {
      kinds.insert(found->second.begin(), found->second.end());
    }
    add_listed(own_inventory(node.status()));  // by an executor
  }
  return kinds;
}

}  // namespace

/// The watch of one kind on one cluster.
class DriftWatches::One {
 public:
  One(Session& session, std::shared_ptr<kube::Client> client, const kube::ApiResource& resource,
      Inbox& inbox, Absences& absences, std::shared_ptr<const KeepersThere> keepers)
      : m_home_uid(session.home_uid()),
        m_is_home(client == session.home_client()),
        m_inbox(inbox),
        m_absences(absences),
        m_name(cat(resource.group_resource(), " at ", client->server())),
        m_keepers(std::move(keepers)) {
    m_options.resource = resource;
    m_options.label_selector = cat(resources::k_managed_by_label, "=kubist");
    m_options.form = kube::Form::metadata;
    m_watch = watch_for_good(client, m_options, m_name, absences,
                             [this](const kube::WatchEvent& event) { return take(event); });
  }
  /// From here on the runs have looked at what is listed, and these alone keep something there.
  void follow(std::shared_ptr<const KeepersThere> keepers) {
    const std::lock_guard lock(m_mutex);
    m_keepers = std::move(keepers);
  }
  ~One() {
    m_watch = {};  // ends it
    m_absences.forget(m_name);
  }
  One(const One&) = delete;
  One& operator=(const One&) = delete;

 private:
  using Name = std::pair<std::string, std::string>;  ///< namespace and name of an object
  /// Who wrote an object.
  struct Writers {
    std::string owner_at;    ///< when the owner's node did last: a kubist that ran it
    std::size_t others = 0;  ///< what all others did, and which object it is, in short
  };
  struct Known {
    Key owner;
    std::string resource_version;
    Writers writers;
    bool listed = false;  ///< by the listing that is under way
  };

  static Writers writers_of(const Json& object, std::string_view owner_mark) {
    const std::string manager = field_manager(owner_mark);
    Writers writers;
    std::string others(resources::ObjectView(object).uid());
    for (const Json& entry : data::array_at(object, {"metadata", "managedFields"})) {
      if (data::string_at(entry, {"manager"}) == manager) {
        writers.owner_at =
            std::max(writers.owner_at, std::string(data::string_at(entry, {"time"})));
      } else {
        others += entry.dump();
      }
    }
    writers.others = std::hash<std::string>()(others);
    return writers;
  }

  /// What a run writes of its node's is no drift. Who takes a field away has no entry for it, but
  /// moves no time. Times have whole seconds: of two writes in one the second may be anybody's.
  static bool is_owners(const Writers& before, const Writers& now) {
    return before.others == now.others && before.owner_at < now.owner_at;
  }

  static Name name_of(const kube::WatchEvent& event) {
    return {std::string(event.ns), std::string(event.name)};
  }

  bool is_late() {
    const std::lock_guard lock(m_mutex);
    return m_keepers != nullptr;
  }

  /// A Project keeps namespaces at home, which no member writes.
  bool is_kept(const Name& name, const Key& owner) {
    const std::lock_guard lock(m_mutex);
    if (m_keepers == nullptr || (owner.ns.empty() && m_is_home && name.first.empty())) {
      return true;
    }
    const auto there = m_keepers->find(name.first.empty() ? name.second : name.first);
    return there != m_keepers->end() && there->second.contains(keeper_name(owner));
  }

  void tell(const Name& name, const Key& owner) {
    if (is_kept(name, owner)) {
      m_inbox.push(owner,
                   {Cause::drift, resources::to_string(resources::ObjectRef{
                                      "", m_options.resource.kind, name.first, name.second})});
    }
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
    const std::string_view mark = resources::ObjectView(object).annotation(k_owner_annotation);
    const auto parts = util::split(mark, '/');
    if (parts.size() != 4 || parts[0] != m_home_uid) {
      forget(name_of(event));
      return {};
    }
    const auto [known, fresh] = m_known.try_emplace(name_of(event));
    Writers writers = writers_of(object, mark);
    const bool one_write = event.type != Type::listed;  // since the last event
    const bool changed = known->second.resource_version != event.resource_version &&
                         !(one_write && is_owners(known->second.writers, writers));
    const auto [group, kind] = resources::read_qualified_kind(parts[1]);
    Key owner{group, kind, parts[2], parts[3]};
    if (!fresh && known->second.owner != owner) {
      tell(known->first, known->second.owner);
    }
    known->second = {std::move(owner), std::string(event.resource_version), std::move(writers),
                     event.type == Type::listed};
    // A run looked at what a late listing finds first, but some time before it.
    const bool unsure = fresh && event.type == Type::listed && is_late();
    if (unsure || (!fresh && changed)) {
      tell(known->first, known->second.owner);
    }
    return {};
  }

  void forget(const Name& name) {
    if (const auto known = m_known.extract(name)) {
      tell(name, known.mapped().owner);
    }
  }

  void end_listing() {
    std::vector<Name> gone;
    for (auto& [name, known] : m_known) {
      if (!std::exchange(known.listed, false)) {
        gone.push_back(name);
      }
    }
    for (const Name& name : gone) {
      forget(name);
    }
  }

  const std::string m_home_uid;
  const bool m_is_home;
  Inbox& m_inbox;
  Absences& m_absences;
  std::string m_name;
  kube::WatchOptions m_options;
  std::mutex m_mutex;                             ///< guards what follows
  std::shared_ptr<const KeepersThere> m_keepers;  ///< null: no run has a tree
  std::map<Name, Known> m_known;                  ///< of the watch
  kube::StandingWatch m_watch;                    ///< last: it uses all of the above
};

DriftWatches::DriftWatches(Session& session, Inbox& inbox, Absences& absences)
    : m_session(session), m_inbox(inbox), m_absences(absences) {
  watch(session.home_client(), kube::well_known::namespaces(), nullptr);
}
DriftWatches::~DriftWatches() = default;

void DriftWatches::follow(const engine::Graph& graph) {
  const auto clients = m_session.clients();
  std::erase_if(m_watches, [&](const auto& each) {
    return std::find(clients.begin(), clients.end(), each.first.first) == clients.end();
  });
  const auto kinds = kept_kinds(graph);
  auto keepers = find_keepers(graph, m_session);
  for (const auto& client : clients) {
    const auto there = std::make_shared<const KeepersThere>(std::move(keepers[client.get()]));
    watch(client, kube::well_known::namespaces(), there);
    const auto index = kinds.empty() ? nullptr : client->discovery().index().value_or(nullptr);
    for (const auto& [group, kind] : kinds) {
      const kube::ApiResource* found = index ? index->by_kind(group, "", kind) : nullptr;
      if (found != nullptr) {
        watch(client, *found, there);
      }
    }
  }
}

void DriftWatches::watch(const std::shared_ptr<kube::Client>& client,
                         const kube::ApiResource& resource,
                         const std::shared_ptr<const KeepersThere>& keepers) {
  auto& present = m_watches[{client, resource.group_resource()}];
  if (present) {
    present->follow(keepers);
  } else {
    present = std::make_unique<One>(m_session, client, resource, m_inbox, m_absences, keepers);
  }
}

}  // namespace kubist::executors
