#include "session/hand_over.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/status.hpp>
#include <kubist/engine/targets.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/writer.hpp>
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

constexpr std::chrono::milliseconds k_poll{250};
constexpr int k_polls_per_check = 8;  ///< at whether the replica is still there

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
  bool waits(const engine::Node& node) const override {
    return m_over.has(node) || m_inner->waits(node);
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

std::string_view answered(const Json& object) {
  return data::string_at(object, {"status", "handledRequest", "request"});
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
  return phase == "Succeeded" ? Outcome::ready
         : phase == "Failed"  ? Outcome::stalled
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

bool HandOver::has(const engine::Node& node) const {
  return m_options.projects.contains(project_of(node));
}

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
  Removal removal;
  KUBIST_TRY(const auto object, read(node, context.stop));
  if (object) {
    KUBIST_CHECK(check_replica(project_of(node), context.stop));
    removal.state = RemovalState::running;
    removal.requeue_after = std::chrono::seconds(1);
    removal.message = "its replica takes it away";
  }
  return removal;
}

HandOver::Seen HandOver::read(const engine::Node& node, const std::stop_token& stop) {
  {
    const std::lock_guard lock(m_mutex);
    if (const auto listed = m_fresh.extract(node.key)) {
      return *listed.mapped();
    }
  }
  KUBIST_TRY(const auto resource, m_world.home->discovery().find_kind(
                                      ObjectView(*node.object).api_version(), node.key.kind));
  return m_world.home->find(resource, node.key.ns, node.key.name, stop);
}

// Once for each object, and then its namespace is listed.
util::Result<> HandOver::have_it_done(const engine::Node& node, const engine::Context& context) {
  {
    const std::lock_guard lock(m_mutex);
    if (m_done.contains(node.key)) {
      return {};
    }
  }
  KUBIST_TRY(const std::string request, ask(node, context.stop));
  KUBIST_CHECK(wait(node, request, context));
  KUBIST_TRY(const Snapshot now, load_snapshot(*m_world.home, project_of(node), context.stop));
  const std::lock_guard lock(m_mutex);
  m_done.insert(node.key);
  for (const ObjectPtr& object : now.nodes) {
    m_fresh[ObjectView(*object).ref()] = object;
  }
  return {};
}

// What somebody else asked for is not written over: it is a run, too.
util::Result<std::string> HandOver::ask(const engine::Node& node, const std::stop_token& stop) {
  if (node.key.group != resources::k_kubist_group) {  // a request runs a DeployItem in any state
    return util::fail(ErrorKind::conflict,
                      cat("project namespace ", project_of(node), " is a replica's, which cannot ",
                          "be asked for ", resources::to_string(node.key)),
                      "Reconcile what is above it, or give --take-over.", "Locked");
  }
  const kube::ApiResource resource =
      resource_of(*resources::find_kind(node.key.group, node.key.kind));
  while (true) {
    KUBIST_TRY(const auto object, m_world.home->find(resource, node.key.ns, node.key.name, stop));
    if (!object) {
      return util::fail(plan_changed(cat(resources::to_string(node.key), " is gone")));
    }
    const ObjectView view(*object);
    const std::string pending(view.annotation(resources::k_request_annotation));
    if (!pending.empty() && pending != answered(*object)) {
      return pending;
    }
    const std::string request = cat("reconcile@", m_options.run_id);
    const Json patch{
        {"metadata",
         {{"resourceVersion", view.resource_version()},
          {"annotations", {{std::string(resources::k_request_annotation), request}}}}}};
    const auto asked = kube::Writer().patch({*m_world.home}, resource, node.key.ns, node.key.name,
                                            kube::PatchType::merge, patch);
    if (asked) {
      return request;
    }
    if (!kube::is_conflict(asked.error())) {
      return util::fail(util::with_context(
          asked.error(), cat("cannot ask the replica that has project namespace ", project_of(node),
                             " for ", resources::to_string(node.key))));
    }
  }
}

util::Result<> HandOver::wait(const engine::Node& node, const std::string& request,
                              const engine::Context& context) {
  context.progress(cat("asked the replica that has it (", request, ')'));
  for (int polls = 1;; ++polls) {
    KUBIST_TRY(const auto object, read(node, context.stop));
    if (!object || answered(*object) == request) {
      return {};
    }
    if (polls % k_polls_per_check == 0) {
      KUBIST_CHECK(check_replica(project_of(node), context.stop));
    }
    if (!m_options.sleep(k_poll, context.stop)) {
      return util::fail(ErrorKind::cancelled, "stopped while the replica was at work");
    }
  }
}

// Where its Lease could be taken, it has no replica any more.
util::Result<> HandOver::check_replica(const std::string& ns, const std::stop_token& stop) {
  const auto taken = m_world.locks.before_write(ns, stop);
  return taken || taken.error().reason == k_plan_changed
             ? util::fail(plan_changed(cat("project namespace ", ns, " is no replica's any more")))
             : util::Result<>();
}

}  // namespace kubist::executors
