#include "set_run.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/ordering.hpp>
#include <kubist/util/text.hpp>

#include "calls.hpp"

namespace kubist::apply {

using data::Json;
using util::cat;
using util::Error;

SetRun::SetRun(kube::Client& client, std::vector<resources::Manifest>& objects,
               const Options& options, std::stop_token stop)
    : m_client(client), m_objects(objects), m_options(options), m_stop(std::move(stop)) {}

Report SetRun::run() {
  if (prepare()) {
    run_waves();
    if (m_inventory) {
      close_inventory();
    }
  }
  if (m_stop.stop_requested()) {
    m_report.stopped = true;
  }
  if (m_options.wait && m_options.dry_run == kube::DryRun::none && !m_report.stopped) {
    wait_for_all();
  }
  return std::move(m_report);
}

bool SetRun::prepare() {
  m_works = resolve_set(m_client, m_objects, m_options, m_report.errors, m_stop);
  if (!m_report.errors.empty()) {
    return false;
  }
  if (m_options.inventory && !open_inventory()) {
    return false;
  }
  for (Work& work : m_works) {
    work.unseen = m_options.dry_run == kube::DryRun::none && m_options.unseen.contains(work.index);
  }
  read_live(m_client, m_works, read_options(), m_stop);
  for (Work& work : m_works) {
    if (work.no_room) {
      m_report.errors.push_back(*std::move(work.no_room));
      return false;
    }
  }
  if (m_options.check_fields && m_options.validation == kube::FieldValidation::strict) {
    check_fields();
    if (!m_report.errors.empty()) {
      return false;
    }
  }
  return !m_options.needs || m_stop.stop_requested() || make_needed();
}

ReadOptions SetRun::read_options() const {
  ReadOptions read{.manager = m_options.manager,
                   .keep_before = m_keep_before || m_options.keep_objects || m_options.admit ||
                                  m_options.dry_run == kube::DryRun::server,
                   .reservation = m_options.reservation,
                   .find_client_side = m_options.take_over_client_side,
                   .ready = {}};
  if (m_options.wait) {
    read.ready = m_options.ready_mode;
  }
  return read;
}

void SetRun::run_waves() {
  std::vector<resources::ObjectRef> refs;
  refs.reserve(m_works.size());
  for (const Work& work : m_works) {
    refs.push_back(work.ref);
  }
  const auto waves = resources::apply_waves(refs);
  for (const auto& wave : waves) {
    m_order.insert(m_order.end(), wave.items.begin(), wave.items.end());
  }
  for (const auto& wave : waves) {
    run_wave(wave.items);
    if (wave.barrier && m_options.dry_run == kube::DryRun::none && !m_stop.stop_requested()) {
      pass_barrier(wave.items);
    }
    report_finished();
  }
}

void SetRun::run_wave(const Tags& tags) {
  const Tags to_send = tags_to_send(tags);
  report_finished();
  if (m_options.dry_run == kube::DryRun::client) {
    for (const std::size_t tag : to_send) {
      finish_unsent(m_works[tag]);
    }
    return;
  }
  const auto make = [this](std::size_t tag) {
    kube::ApiCall call = call_of(m_works[tag]);
    call.permit = m_options.permit;
    return call;
  };
  const auto take = [this](std::size_t tag, util::Result<kube::Reply> reply) {
    const Delay delay = take_reply(m_works[tag], std::move(reply));
    report_finished();
    return delay;
  };
  for (const std::size_t tag : run_calls(m_client, to_send, make, take, m_stop)) {
    finish(
        m_works[tag], Outcome::skipped,
        m_works[tag].result.written
            ? "the run was stopped before the fields of client-side kubectl apply were taken over"
            : "the run was stopped before it was sent");
  }
  explain_conflicts(tags);
}

SetRun::Tags SetRun::tags_to_send(const Tags& tags) {
  Tags to_send;
  for (const std::size_t tag : tags) {
    if (!settle(m_works[tag])) {
      to_send.push_back(tag);
    }
  }
  if (!to_send.empty() && m_inventory && !note_inventory()) {
    for (const std::size_t tag : to_send) {
      finish(m_works[tag], Outcome::skipped, "the inventory could not be written");
    }
    to_send.clear();
  }
  return to_send;
}

bool SetRun::needs_no_write(const Work& work) const {
  return work.exists && work.comparison.verdict == Verdict::unchanged && !work.client_side;
}

kube::ApplyOptions SetRun::apply_options() const {
  kube::ApplyOptions apply;
  apply.field_manager = m_options.manager;
  apply.force = m_options.force_conflicts;
  apply.validation = m_options.validation;
  return apply;
}

kube::ApiCall SetRun::apply_of(const Work& work) const {
  kube::ApplyOptions apply = apply_options();
  if (m_options.dry_run == kube::DryRun::server) {  // a client's records what a run would send
    apply.dry_run = kube::DryRun::server;
  }
  apply.only_new = work.unseen;
  if (m_options.admit && work.exists) {
    Json pinned = work.manifest->object;
    data::set_path(pinned, {"metadata", "uid"}, work.result.uid);
    return kube::apply(work.resource, pinned, apply);
  }
  return kube::apply(work.resource, work.manifest->object, apply);
}

kube::ApiCall SetRun::call_of(Work& work) const {
  kube::ApiCall call = work.takeover ? *work.takeover : apply_of(work);
  if (m_options.keep_calls) {
    work.result.calls.push_back(call);
  }
  return call;
}

bool SetRun::settle(Work& work) {
  if (m_stop.stop_requested()) {
    finish(work, Outcome::skipped, "the run was stopped before it was sent");
  } else if (const std::string blocker = blocked_by(work); !blocker.empty()) {
    finish(work, Outcome::skipped, blocker);
  } else if (needs_no_write(work)) {
    if (m_options.keep_objects) {
      work.result.live = work.before;
    }
    finish(work, Outcome::unchanged);
  } else {
    return m_options.admit && !admitted(work);
  }
  return true;
}

/// By a client dry run.
void SetRun::finish_unsent(Work& work) {
  if (m_options.keep_objects) {
    work.result.live = work.manifest->object;
  }
  if (m_options.keep_calls) {
    call_of(work);
  }
  finish(work, work.exists ? Outcome::configured : Outcome::created);
}

bool SetRun::admitted(Work& work) {
  auto admission = m_options.admit(work.index, work.exists ? &work.before : nullptr);
  if (!admission) {
    work.result.error = admission.error();
    finish(work, Outcome::failed);
    return false;
  }
  if (!admission->write) {
    finish(work, Outcome::kept, std::move(admission->reason));
    return false;
  }
  return true;
}

std::string SetRun::blocked_by(const Work& work) const {
  if (m_failed_namespaces.contains(work.ref.ns)) {
    return cat("its namespace ", work.ref.ns, " could not be made");
  }
  if (m_failed_kinds.contains(cat(work.ref.group, '/', work.ref.kind))) {
    return "the CustomResourceDefinition of its kind could not be made";
  }
  return {};
}

void SetRun::finish(Work& work, Outcome outcome, std::string message) {
  work.result.outcome = outcome;
  work.result.message = std::move(message);
  work.done = true;
  if (work.result.ok() || work.result.written) {
    return;
  }
  if (is_namespace(work.manifest->object)) {
    m_failed_namespaces.insert(work.ref.name);
  } else if (is_crd(work.manifest->object) && !work.exists) {
    m_failed_kinds.insert(cat(data::string_at(work.manifest->object, {"spec", "group"}), '/',
                              data::string_at(work.manifest->object, {"spec", "names", "kind"})));
  }
}

void SetRun::report_finished() {
  while (m_reported < m_order.size() && m_works[m_order[m_reported]].done) {
    m_report.results.push_back(std::move(m_works[m_order[m_reported]].result));
    // What later steps need of it stays with the work.
    const ObjectResult& result = m_report.results.back();
    Work& work = m_works[m_order[m_reported++]];
    work.result = {.index = result.index,
                   .ref = result.ref,
                   .api_version = result.api_version,
                   .outcome = result.outcome,
                   .message = {},
                   .error = {},
                   .conflicts = {},
                   .uid = result.uid,
                   .resource_version = result.resource_version,
                   .written = result.written,
                   .live = nullptr,
                   .calls = {}};
    if (m_options.on_result) {
      m_options.on_result(result);
    }
  }
}

void SetRun::pass_barrier(const Tags& tags) {
  std::vector<Awaited> awaited;
  for (const std::size_t tag : tags) {
    const Work& work = m_works[tag];
    if (is_crd(work.manifest->object) &&
        (work.result.outcome == Outcome::created || work.result.outcome == Outcome::configured)) {
      awaited.push_back({work.resource, "", work.ref.name, ""});
    }
  }
  if (awaited.empty()) {
    return;
  }
  WaitOptions wait;
  wait.timeout = m_options.timeout.count() > 0 ? time_left() : std::chrono::seconds(60);
  wait.events = false;
  for (NotReady& left :
       wait_ready(m_client, awaited, resources::ReadyMode::kstatus, wait, m_stop)) {
    for (const std::size_t tag : tags) {
      const Json& crd = m_works[tag].manifest->object;
      if (m_works[tag].ref == left.ref) {
        m_failed_kinds.insert(cat(data::string_at(crd, {"spec", "group"}), '/',
                                  data::string_at(crd, {"spec", "names", "kind"})));
      }
    }
    m_report.not_ready.push_back(std::move(left));
  }
}

std::chrono::nanoseconds SetRun::time_left() const {
  if (m_options.timeout.count() == 0) {
    return m_options.timeout;
  }
  const auto left = m_options.timeout - (std::chrono::steady_clock::now() - m_start);
  return std::max<std::chrono::nanoseconds>(left, std::chrono::milliseconds(1));
}

void SetRun::wait_for_all() {
  std::vector<Awaited> awaited;
  for (const Work& work : m_works) {
    if (work.result.ok() && work.result.outcome != Outcome::kept &&
        !(work.ready && work.ready->status == resources::Status::current)) {
      awaited.push_back({work.resource, work.ref.ns, work.ref.name, ""});
    }
  }
  if (awaited.empty()) {
    return;
  }
  const WaitOptions wait{
      .timeout = time_left(), .events = true, .on_progress = m_options.on_progress};
  for (NotReady& left : wait_ready(m_client, awaited, m_options.ready_mode, wait, m_stop)) {
    m_report.not_ready.push_back(std::move(left));
  }
  m_report.stopped = m_report.stopped || m_stop.stop_requested();
}

Report apply_set(kube::Client& client, std::vector<resources::Manifest>& objects,
                 const Options& options, std::stop_token stop) {
  return SetRun(client, objects, options, std::move(stop)).run();
}

std::vector<Error> check_set(kube::Client& client, std::vector<resources::Manifest>& objects,
                             const Options& options, std::stop_token stop) {
  std::vector<Error> errors;
  resolve_set(client, objects, options, errors, stop);
  return errors;
}

}  // namespace kubist::apply
