#include "session/hand_over.hpp"

#include <algorithm>
#include <utility>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/engine/status.hpp>
#include <kubist/engine/targets.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "session/busy_nodes.hpp"
#include "world/lease_record.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using engine::Outcome;
using engine::Removal;
using engine::RemovalState;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;

namespace {

/// Stands before an executor: nodes of replicas' projects are not for that one.
class AskingExecutor final : public engine::Executor {
 public:
  AskingExecutor(HandOver& over, std::shared_ptr<engine::Executor> inner)
      : m_over(over), m_inner(std::move(inner)) {}
  util::Result<Alignment> align(const engine::Node& node, const engine::Context& context) override {
    return m_over.has(node) ? m_over.align(node, context) : m_inner->align(node, context);
  }
  util::Result<Removal> remove(const engine::Node& node, const engine::Context& context) override {
    return m_over.has(node) ? m_over.remove(node, context) : m_inner->remove(node, context);
  }
  bool aligns_without_policies() const override { return m_inner->aligns_without_policies(); }
  engine::Waits waits(const engine::Node& node) const override {
    return m_over.has(node) ? engine::Waits::for_others : m_inner->waits(node);
  }
  bool runs_policies(const engine::Node& node) const override { return !m_over.has(node); }
  std::vector<engine::Key> followers(const engine::Node& node) const override {
    return m_inner->followers(node);
  }

 private:
  HandOver& m_over;
  std::shared_ptr<engine::Executor> m_inner;
};

ErrorKind kind_of(std::string_view word) {
  for (const ErrorKind kind : {ErrorKind::conflict, ErrorKind::denied, ErrorKind::invalid}) {
    if (to_string(kind) == word) {
      return kind;
    }
  }
  return ErrorKind::internal;
}

bool is_item(const engine::Node& node) {
  return node.key.group == resources::k_landscaper_group && node.key.kind == "DeployItem";
}

ReplicaObject object_of(const engine::Node& node) {
  return {node.key, std::string(ObjectView(*node.object).api_version()), project_of(node)};
}

Outcome outcome_of(const Json& status) {
  if (engine::condition_truth(status, "Ready") == engine::Truth::yes) {
    return Outcome::ready;
  }
  if (engine::condition_truth(status, "Stalled") == engine::Truth::yes) {
    return Outcome::stalled;
  }
  return data::int_at(status, {"failures"}) > 0 ? Outcome::failed : Outcome::progressing;
}

/// What was written for it since the tree was read.
void add_writes(const Json& before, const Json& status, Alignment& alignment) {
  const Json* run = data::find_path(status, {"lastRun"});
  if (run == nullptr ||
      data::string_at(before, {"lastRun", "id"}) == data::string_at(*run, {"id"})) {
    return;
  }
  alignment.status_written = true;
  for (const std::string& write : data::strings_at(*run, {"writes"})) {
    const std::string verb = write.substr(0, write.find(' '));
    alignment.writes.push_back(
        {verb, write.substr(std::min(verb.size() + 1, write.size())), {}, {}});
  }
}

Outcome outcome_of_item(const Json& status) {
  const std::string_view phase = data::string_at(status, {"phase"});
  return deployers::is_success(phase) ? Outcome::ready
         : phase == "Failed"          ? Outcome::stalled
                                      : Outcome::progressing;
}

Alignment alignment_of(const engine::Node& node, const Json& object) {
  const Json none = Json::object();
  const Json* whole = data::find_path(object, {"status"});
  const Json status = node.selected && !node.target.empty()
                          ? engine::target_status(whole != nullptr ? *whole : none, node.target)
                      : whole != nullptr ? *whole
                                         : none;
  Alignment alignment;
  const Json* ready = engine::find_condition(status, "Ready");
  if (ready == nullptr || data::int_at(status, {"observedGeneration"}) <
                              data::int_at(object, {"metadata", "generation"})) {
    alignment.outcome = Outcome::progressing;
    alignment.reason = "Progressing";
    alignment.message = "its replica has not come to it yet";
  } else {
    alignment.outcome = node.foreign_status ? outcome_of_item(status) : outcome_of(status);
    alignment.reason = data::string_at(*ready, {"reason"});
    alignment.message = data::string_at(*ready, {"message"});
  }
  if (alignment.outcome == Outcome::progressing) {
    alignment.requeue_after = std::chrono::seconds(1);
  } else if (alignment.outcome != Outcome::ready) {
    const std::string_view state = data::string_at(status, {"state"});
    alignment.rolled_back = state == "RolledBack" || state == "Aborted";
    alignment.error = util::make_error(kind_of(data::string_at(status, {"lastRun", "error"})),
                                       alignment.message, "", alignment.reason);
  }
  add_writes(node.status(), status, alignment);
  return alignment;
}

}  // namespace

std::set<std::string> projects_of_replicas(kube::Client& home, const engine::Graph& graph,
                                           const std::vector<engine::NodeId>& tops,
                                           const std::stop_token& stop) {
  std::set<std::string> projects;
  for (const engine::NodeId top : tops) {
    for (const engine::NodeId id : graph.subtree(top)) {
      projects.insert(project_of(graph[id]));
    }
  }
  projects.erase("");
  std::erase_if(projects, [&](const std::string& ns) {
    const auto lease = find_lease(home, ns, k_project_lease, stop);
    const auto record = lease && *lease ? record_of(**lease) : engine::LeaseRecord();
    return record.holder.empty() || record.replica.empty();
  });
  return projects;
}

void HandOver::stand_before(engine::ExecutorSet& executors) {
  executors.wrap([this](std::shared_ptr<engine::Executor> inner) {
    return std::make_shared<AskingExecutor>(*this, std::move(inner));
  });
}

bool HandOver::has(const engine::Node& node) const { return m_projects.contains(project_of(node)); }

// What is below one that was asked for was asked for with it.
bool HandOver::is_top(const engine::Node& node, const engine::Context& context) const {
  const std::lock_guard lock(m_mutex);
  for (engine::NodeId up = node.parent; up != engine::k_no_node; up = context.graph[up].parent) {
    if (m_done.contains(context.graph[up].key)) {
      return false;
    }
  }
  return true;
}

util::Result<Alignment> HandOver::align(const engine::Node& node, const engine::Context& context) {
  if (is_top(node, context)) {
    KUBIST_CHECK(have_it_done(node, context));
  }
  KUBIST_TRY(const auto object, read(node, context.stop));
  if (!object) {
    return util::fail(plan_changed(cat(resources::to_string(node.key), " is gone")));
  }
  return alignment_of(node, *object);
}

util::Result<Removal> HandOver::remove(const engine::Node& node, const engine::Context& context) {
  KUBIST_TRY(const auto object, read(node, context.stop));
  if (!object) {
    return Removal{};
  }
  KUBIST_CHECK(m_requests.check_replica(project_of(node), context.stop));
  Removal removal;
  removal.state = RemovalState::running;
  removal.requeue_after = std::chrono::seconds(1);
  removal.message = "its replica takes it away";
  if (!ObjectView(*object).deletion_timestamp().empty()) {
    Alignment now = alignment_of(node, *object);
    if (now.outcome == Outcome::failed || now.outcome == Outcome::stalled) {
      removal.state = RemovalState::failed;
      removal.reason = std::move(now.reason);
      removal.message = std::move(now.message);
      removal.error = std::move(now.error);
    }
  }
  return removal;
}

ReplicaRequests::Seen HandOver::read(const engine::Node& node, const std::stop_token& stop) {
  {
    const std::lock_guard lock(m_mutex);
    if (const auto listed = m_fresh.extract(node.key)) {
      return *listed.mapped();
    }
  }
  return m_requests.read(object_of(node), stop);
}

// Once for each object, and then its namespace is listed.
util::Result<> HandOver::have_it_done(const engine::Node& node, const engine::Context& context) {
  {
    const std::lock_guard lock(m_mutex);
    if (m_done.contains(node.key)) {
      return {};
    }
  }
  const ReplicaObject what = object_of(node);
  if (node.key.group != resources::k_kubist_group && !is_item(node)) {
    return util::fail(ErrorKind::conflict,
                      cat("project namespace ", what.project, " is a replica's, which cannot be ",
                          "asked for ", resources::to_string(node.key)),
                      "Reconcile what is above it, or give --take-over.", "Locked");
  }
  if (is_item(node)) {  // a request runs it in any state: that is for what has failed
    KUBIST_TRY(const auto object, m_requests.read(what, context.stop));
    if (object && alignment_of(node, *object).outcome != Outcome::stalled) {
      return {};
    }
  }
  KUBIST_TRY(const std::string request, m_requests.ask(what, context.stop));
  context.progress(cat("asked the replica that has it (", request, ')'));
  KUBIST_CHECK(m_requests.wait(
      what, [&](const Json& object) { return is_answered(object, request); }, context.stop));
  KUBIST_TRY(const Snapshot now, load_snapshot(*m_world.home, what.project, context.stop));
  const std::lock_guard lock(m_mutex);
  m_done.insert(node.key);
  for (const ObjectPtr& object : now.nodes) {
    m_fresh[ObjectView(*object).ref()] = object;
  }
  return {};
}

}  // namespace kubist::executors
