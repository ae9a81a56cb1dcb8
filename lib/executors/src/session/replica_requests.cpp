#include "session/replica_requests.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::chrono::milliseconds k_poll{250};
constexpr int k_polls_per_check = 8;  ///< at whether the replica is still there

}  // namespace

bool is_answered(const Json& object, std::string_view request) {
  const ObjectView view(object);
  const bool is_item = view.ref().group == resources::k_landscaper_group;
  const Json status =
      is_item ? deployers::from_upstream_status(view.status()) : Json(view.status());
  return data::string_at(status, {"handledRequest", "request"}) == request;
}

ReplicaRequests::Seen ReplicaRequests::read(const ReplicaObject& what,
                                            const std::stop_token& stop) {
  KUBIST_TRY(const auto resource, m_home.discovery().find_kind(what.api_version, what.key.kind));
  return m_home.find(resource, what.key.ns, what.key.name, stop);
}

util::Result<std::string> ReplicaRequests::ask(const ReplicaObject& what,
                                               const std::stop_token& stop) {
  const engine::Key& key = what.key;
  KUBIST_TRY(const auto resource, m_home.discovery().find_kind(what.api_version, key.kind));
  const std::string context = cat("cannot ask the replica that has project namespace ",
                                  what.project, " for ", resources::to_string(key));
  for (int tries = 1;; ++tries) {
    KUBIST_TRY(const auto object, m_home.find(resource, key.ns, key.name, stop));
    if (!object) {
      return util::fail(plan_changed(cat(resources::to_string(key), " is gone")));
    }
    const ObjectView view(*object);
    const std::string pending(view.annotation(resources::k_request_annotation));
    if (!pending.empty() && !is_answered(*object, pending)) {
      return pending;
    }
    const std::string request = cat("reconcile@", m_options.run_id);
    const Json patch{
        {"metadata",
         {{"resourceVersion", view.resource_version()},
          {"annotations", {{std::string(resources::k_request_annotation), request}}}}}};
    const auto asked =
        kube::Writer().patch({m_home}, resource, key.ns, key.name, kube::PatchType::merge, patch);
    if (asked) {
      return request;
    }
    if (!kube::is_conflict(asked.error())) {
      return util::fail(util::with_context(asked.error(), context));
    }
    KUBIST_CHECK(pause(tries, cat(context, ": it changed before the request was written"), stop));
  }
}

util::Result<> ReplicaRequests::pause(int tries, const std::string& why,
                                      const std::stop_token& stop) {
  constexpr int k_tries = 20;
  if (tries >= k_tries) {
    return util::fail(ErrorKind::unavailable, cat(why, ", ", k_tries, " times"),
                      "Find who changes it all the time (kubectl get -w), then run again.");
  }
  return m_options.sleep(k_poll, stop)
             ? util::Result<>()
             : util::fail(ErrorKind::cancelled, "stopped while the replica was asked");
}

ReplicaRequests::Seen ReplicaRequests::wait(const ReplicaObject& what, const Holds& holds,
                                            const std::stop_token& stop) {
  for (int polls = 1;; ++polls) {
    KUBIST_TRY(auto object, read(what, stop));
    if (!object || holds(*object)) {
      return object;
    }
    if (polls % k_polls_per_check == 0) {
      KUBIST_CHECK(check_replica(what.project, stop));
    }
    if (!m_options.sleep(k_poll, stop)) {
      return util::fail(ErrorKind::cancelled, "stopped while the replica was at work");
    }
  }
}

// Where its Lease could be taken, it has no replica any more.
util::Result<> ReplicaRequests::check_replica(const std::string& ns, const std::stop_token& stop) {
  const auto taken = m_locks.before_write(ns, stop);
  return taken || taken.error().reason == k_plan_changed
             ? util::fail(plan_changed(cat("project namespace ", ns, " is no replica's any more")))
             : util::Result<>();
}

}  // namespace kubist::executors
