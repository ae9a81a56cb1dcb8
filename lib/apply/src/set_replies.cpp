#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/secret_mask.hpp>
#include <kubist/util/text.hpp>

#include "calls.hpp"
#include "client_side.hpp"
#include "field_path.hpp"
#include "set_run.hpp"

namespace kubist::apply {

using data::Json;
using resources::ObjectView;
using util::cat;
using util::Error;
using util::ErrorKind;

namespace {

/// In a dry run the server cannot check an object whose namespace or kind the run itself would
/// make.
bool misses_what_the_set_makes(const Error& error) { return error.kind == ErrorKind::not_found; }

/// Do two states of an object differ in anything but bookkeeping?
bool same_state(Json a, Json b) {
  for (Json* object : {&a, &b}) {
    for (const std::string_view key : {"managedFields", "resourceVersion", "generation"}) {
      data::erase_path(*object, {"metadata", key});
    }
  }
  return a == b;
}

}  // namespace

SetRun::Delay SetRun::take_reply(Work& work, util::Result<kube::Reply> reply) {
  if (work.takeover) {
    return end_takeover(work, reply);
  }
  if (reply) {
    return take_success(work, *reply);
  }
  if (work.unseen && kube::is_conflict(reply.error())) {
    return look_again(work);
  }
  if (const Delay delay = retry_delay(work, reply.error()); delay && !m_stop.stop_requested()) {
    return delay;
  }
  take_failure(work, std::move(reply).error());
  return std::nullopt;
}

/// It is there after all. Sent again, or settled now that it is known.
SetRun::Delay SetRun::look_again(Work& work) {
  work.unseen = false;
  read_live(m_client, work, read_options(), m_stop);
  if (work.no_room) {
    take_failure(work, *std::move(work.no_room));
    return std::nullopt;
  }
  return settle(work) ? std::nullopt : Delay(0);
}

/// Answers that come from the server catching up with what was just made.
SetRun::Delay SetRun::retry_delay(Work& work, const Error& error) {
  if (m_options.dry_run != kube::DryRun::none) {
    return std::nullopt;
  }
  // A CRD is Established a moment before every API server serves its path.
  const bool kind_coming = work.kind_in_set && error.http_status == 404;
  // A new namespace gets its default ServiceAccount from a controller.
  const bool account_coming = error.http_status == 403 && work.ref.kind == "Pod" &&
                              error.message.find("service account") != std::string::npos;
  // The server gives up after some rounds against other writers; an apply may simply come again.
  const bool race =
      error.http_status == 409 && kube::field_conflicts(error).empty() &&
      data::string_at(work.manifest->object, {"metadata", "resourceVersion"}).empty() &&
      !m_options.admit;
  int& attempts = m_attempts[work.index];
  const int most = kind_coming || account_coming ? 40 : race ? 3 : 0;
  if (++attempts > most) {
    return std::nullopt;
  }
  return std::chrono::milliseconds(std::min(50 * attempts, 500));
}

/// The version that is patched is the one that this apply has just made.
bool SetRun::begin_takeover(Work& work, const Json& live) {
  const auto managers =
      m_options.take_over_client_side && !work.taken_over && m_options.dry_run == kube::DryRun::none
          ? client_side_managers(live)
          : std::vector<std::string>();
  if (managers.empty()) {
    return false;
  }
  work.result.written = true;
  const Json patch = Json::array({{{"op", "replace"},
                                   {"path", "/metadata/managedFields"},
                                   {"value", taken_over_fields(live, managers, m_options.manager)}},
                                  {{"op", "replace"},
                                   {"path", "/metadata/resourceVersion"},
                                   {"value", ObjectView(live).resource_version()}}});
  work.takeover = kube::patch(work.resource, work.ref.ns, work.ref.name, kube::PatchType::json,
                              patch, {.field_manager = m_options.manager});
  return true;
}

/// Then the object is applied again, which gives up what left the input. Where somebody else wrote
/// it meanwhile, all of it is tried again.
SetRun::Delay SetRun::end_takeover(Work& work, const util::Result<kube::Reply>& reply) {
  constexpr int k_tries = 5;
  work.takeover.reset();
  const bool outdated = !reply && kube::is_conflict(reply.error());
  work.taken_over = !outdated || ++m_attempts[work.index] > k_tries;
  if (reply || outdated) {
    return Delay(0);
  }
  take_failure(work, util::with_context(reply.error(),
                                        "cannot take over what client-side kubectl apply owns"));
  return std::nullopt;
}

SetRun::Delay SetRun::take_success(Work& work, const kube::Reply& reply) {
  auto live = reply.json();
  if (!live) {
    take_failure(work, live.error());
    return std::nullopt;
  }
  if (begin_takeover(work, *live)) {
    return Delay(0);
  }
  const ObjectView view(*live);
  const bool dry = m_options.dry_run != kube::DryRun::none;
  bool changed = true;
  if (work.exists) {
    changed = dry ? work.client_side || !same_state(work.before, *live)
                  : view.resource_version() != work.result.resource_version;
  }
  work.result.written = !dry;
  if (!dry) {
    work.result.uid = view.uid();
    work.result.resource_version = view.resource_version();
  }
  if (m_options.wait) {
    work.ready =
        resources::readiness(*live, std::chrono::system_clock::now(), m_options.ready_mode);
  }
  if (m_options.keep_objects || m_keep_before) {
    if (auto room = reserve(m_options.reservation, *live); !room) {
      take_failure(work, std::move(room).error());
      return std::nullopt;
    }
    work.result.live = *std::move(live);
  }
  const bool created = reply.status == 201 || (work.known && !work.exists);
  finish(work, created ? Outcome::created : changed ? Outcome::configured : Outcome::unchanged);
  return std::nullopt;
}

bool SetRun::makes_namespace(std::string_view ns) const {
  const auto is_it = [&](const Json& object) {
    return is_namespace(object) && ObjectView(object).name() == ns;
  };
  return (!ns.empty() && m_options.brings_namespace == ns) ||
         std::any_of(m_needed.begin(), m_needed.end(),
                     [&](const Needed& needed) { return is_it(needed.object); }) ||
         std::any_of(m_works.begin(), m_works.end(),
                     [&](const Work& work) { return is_it(work.manifest->object); });
}

void SetRun::take_failure(Work& work, Error error) {
  if (m_options.dry_run == kube::DryRun::server && !work.exists &&
      misses_what_the_set_makes(error)) {
    if (work.kind_in_set || makes_namespace(work.ref.ns)) {
      if (m_options.keep_objects || m_keep_before) {
        work.result.live = work.manifest->object;
      }
      finish(work, Outcome::created,
             "its namespace or kind is not there yet: not checked by the server");
      return;
    }
  }
  const auto conflicts = kube::field_conflicts(error);
  for (const kube::FieldConflict& conflict : conflicts) {
    Conflict row;
    row.field = conflict.field;
    row.owner = conflict.operation.empty() ? conflict.manager
                                           : cat(conflict.manager, " (", conflict.operation, ')');
    m_conflicts[work.index].push_back(std::move(row));
  }
  if (error.pos.origin.empty()) {
    error.pos = refused_place(error, *work.manifest);
  }
  if (resources::is_secret(work.manifest->object)) {
    resources::hide_values(error, work.manifest->object);
  }
  work.result.error = std::move(error);
  if (!conflicts.empty()) {
    work.result.outcome = Outcome::conflict;  // final after explain_conflicts()
    return;
  }
  finish(work, Outcome::failed);
}

}  // namespace kubist::apply
