#include "keep/managed.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/alignments.hpp"
#include "keep/function_place.hpp"
#include "keep/inventory_book.hpp"
#include "keep/traffic_place.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using engine::Removal;
using engine::RemovalState;
using util::cat;

namespace {

// VERB@ID: a run is what "reconcile" asks for; other verbs belong to kinds that know them.
engine::HandledRequest answer_to(const std::string& request) {
  const std::string verb = request.substr(0, request.find('@'));
  if (verb == "reconcile") {
    return {request, "Done", "reconciled", true};
  }
  return {request, "Refused", cat("this kind does not know \"", verb, "\"")};
}

// Of an object on several virtual clusters: it goes, and not only what it has on one of them.
bool goes_whole(const engine::Node& node, const engine::Graph& graph) {
  bool whole = node.deleting;
  for (engine::NodeId up = node.parent; up != engine::k_no_node; up = graph[up].parent) {
    whole = whole || (graph[up].key.kind == "Project" && graph[up].deleting);
  }
  return whole;
}

}  // namespace

Alignment alignment_of_failure(const util::Error& error) {
  Alignment result = engine::alignment_of(error);
  if (error.reason == k_namespace_terminating) {
    result.outcome = engine::Outcome::progressing;
    result.requeue_after = std::chrono::milliseconds(300);
  }
  return result;
}

/// What a function made that is the node's no more goes first.
util::Result<Alignment> ManagedExecutor::align_rest(Work& work) {
  const engine::Node& node = work.node();
  const Json& former = data::object_at(node.status(), {"executor"});
  if (former.empty() || has_function(node)) {
    return align_node(work);
  }
  const auto removal = remove_function_objects(work, false);
  const bool others = !removal && removal.error().reason == k_account_not_yours;
  if (!removal && !others) {
    return util::fail(removal.error());
  }
  if (removal && removal->state == RemovalState::running) {
    return waiting(removal->reason, removal->message, *removal->requeue_after);
  }
  if (others && is_function()) {  // its own list would take the place of that one
    return left_to_others(node, removal.error());
  }
  KUBIST_TRY(Alignment aligned, align_node(work));
  if (others) {
    aligned.message += cat(aligned.message.empty() ? "" : "; ", removal.error().message);
    return aligned;
  }
  forget_function(former, aligned);
  return aligned;
}

util::Result<Alignment> ManagedExecutor::align(const engine::Node& node,
                                               const engine::Context& context) {
  Work work(m_world, node, context);
  const bool has = std::find(node.finalizers.begin(), node.finalizers.end(), k_finalizer) !=
                   node.finalizers.end();
  if (needs_finalizer() && !has) {
    KUBIST_TRY(const auto own, work.resource());
    // What has parts on several virtual clusters gets it by the first of them.
    const bool known = work.is_new() && !node.selected;
    KUBIST_CHECK(work.set_finalizer(own, node.key.ns, node.key.name, k_finalizer, true,
                                    known ? std::optional(*node.object) : std::nullopt));
  }
  auto aligned = align_rest(work);
  Alignment result = aligned ? std::move(*aligned) : alignment_of_failure(aligned.error());
  result.writes.insert(result.writes.end(), work.writes().begin(), work.writes().end());
  for (const auto& [field, value] : work.recorded().items()) {  // some of it may have been made
    result.status.emplace(field, value);
  }
  const std::string request = node.annotation(resources::k_request_annotation);
  if (!request.empty() && !result.handled_request &&
      request != data::string_at(node.status(), {"handledRequest", "request"})) {
    result.handled_request = answer_to(request);
  }
  return result;
}

util::Result<> ManagedExecutor::request_deletion(Work& work) {
  const engine::Node& node = work.node();
  if (node.deleting) {
    return {};
  }
  KUBIST_TRY(const auto own, work.resource());
  KUBIST_TRY(const auto live, m_world.home->find(own, node.key.ns, node.key.name, work.stop()));
  if (!live || !resources::ObjectView(*live).deletion_timestamp().empty()) {
    return {};
  }
  KUBIST_CHECK(work.writer().remove(work.home(), own, node.key.ns, node.key.name, node.uid));
  return {};
}

util::Result<> ManagedExecutor::let_go(Work& work) {
  const engine::Node& node = work.node();
  KUBIST_TRY(const auto own, work.resource());
  return work.set_finalizer(own, node.key.ns, node.key.name, k_finalizer, false);
}

util::Result<Removal> ManagedExecutor::remove_all(Work& work) {
  KUBIST_TRY(const Removal made, remove_function_objects(work, true));
  if (made.state != RemovalState::done) {
    return made;
  }
  KUBIST_TRY(Removal removal, remove_node(work));
  removal.left_behind.insert(removal.left_behind.end(), made.left_behind.begin(),
                             made.left_behind.end());
  return removal;
}

util::Result<Removal> ManagedExecutor::remove(const engine::Node& node,
                                              const engine::Context& context) {
  Work work(m_world, node, context);
  const bool whole = !node.selected || goes_whole(node, context.graph);
  if (whole) {
    KUBIST_CHECK(request_deletion(work));
  }
  KUBIST_TRY(Removal removal, remove_all(work));
  if (context.stop.stop_requested() && !removal.left_behind.empty()) {
    // What could not be reached after a stop may not have been reached for the stop.
    return util::fail(util::ErrorKind::cancelled, "stopped before it was taken away");
  }
  if (removal.state == RemovalState::done) {
    bool last = true;
    if (node.selected) {
      KUBIST_TRY(last, m_world.statuses->drop_target(node));
    }
    if (whole && last) {
      KUBIST_CHECK(let_go(work));
    } else if (whole && node.target.empty() && !work.dry()) {
      removal = removal_running("Deleting", "what it has on its virtual clusters goes first");
    }
  }
  removal.writes.insert(removal.writes.end(), work.writes().begin(), work.writes().end());
  return removal;
}

Removal removal_running(std::string reason, std::string message) {
  Removal removal;
  removal.state = RemovalState::running;
  removal.reason = std::move(reason);
  removal.message = std::move(message);
  removal.requeue_after = std::chrono::milliseconds(300);
  return removal;
}

Removal abandoned(const util::Error& why, std::vector<std::string> left_behind) {
  Removal removal;
  removal.reason = "Abandoned";
  removal.message = why.message;
  removal.left_behind = std::move(left_behind);
  return removal;
}

apply::OwnerMark mark_of(const Work& work) {
  return {apply::OwnerMark::On::annotation, std::string(resources::k_owner_annotation),
          work.owner_mark()};
}

data::Json inventory_entry(const apply::Recorded& recorded, bool adopted) {
  const resources::ObjectRef& ref = recorded.ref;
  data::Json entry{{"version", resources::version_of(recorded.api_version)},
                   {"kind", ref.kind},
                   {"name", ref.name}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      entry[key] = value;
    }
  };
  add("group", ref.group);
  add("namespace", ref.ns);
  add("uid", recorded.uid);
  if (adopted) {
    entry["adopted"] = true;
  }
  return entry;
}

apply::Recorded read_entry(const data::Json& entry) {
  const auto text = [&](std::string_view key) {
    return std::string(data::string_at(entry, {key}));
  };
  const std::string group = text("group");
  return {{group, text("kind"), text("namespace"), text("name")},
          cat(group, group.empty() ? "" : "/", text("version")),
          text("uid")};
}

}  // namespace kubist::executors
