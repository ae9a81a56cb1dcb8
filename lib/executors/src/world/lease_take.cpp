// How a run comes to hold a project's Lease: by waiting for others, from a replica that is dead, or
// by asking one that is not.
#include <utility>

#include <kubist/kube/api_error.hpp>
#include <kubist/kube/namespaces.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/process_mark.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "world/held_leases.hpp"

namespace kubist::executors {

using data::Json;
using engine::LeaseRecord;
using engine::LockState;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::chrono::milliseconds k_asked_pause{250};  ///< where the holder was asked to let go

util::Error of_replica(const std::string& ns, const std::string& holder) {
  return util::make_error(ErrorKind::conflict,
                          cat("project namespace ", ns, " is that of replica ", holder),
                          "Run again; the replica is asked then.", std::string(k_of_replica));
}

util::Error cannot_lock(const std::string& ns, const util::Error& why) {
  return util::with_context(why, cat("cannot lock project namespace ", ns));
}

}  // namespace

util::Result<> ProjectLocks::recheck(const std::string& ns) {
  const bool holds = m_options.planned_at && *m_options.planned_at > m_leases.since(ns);
  return holds || !m_options.recheck ? util::Result<>{} : m_options.recheck(ns);
}

// Another run may have taken it, after this one's plan was made.
util::Result<> ProjectLocks::check(Used& used, const std::string& ns) {
  if (used.checked == used.held->taken) {
    return {};
  }
  KUBIST_CHECK(recheck(ns));
  used.checked = used.held->taken;
  // Checking took its time, and nobody renewed meanwhile.
  KUBIST_TRY(const bool fresh, renew(*used.held, ns));
  used.held->publish();
  return fresh || used.held->needless ? util::Result<>{} : util::fail(not_renewed(ns));
}

util::Result<> ProjectLocks::observe(Held& held, const std::string& ns,
                                     const std::stop_token& stop) {
  const auto found = find_lease(*m_home, ns, k_project_lease, stop);
  if (!found) {
    return util::fail(cannot_lock(ns, found.error()));
  }
  const std::optional<Json>& lease = *found;
  auto record = lease ? std::optional(record_of(*lease)) : std::nullopt;
  held.keeper.reset();
  if (record && !record->replica.empty()) {
    auto keeper = find_replica(*m_home, record->replica, stop);
    if (!keeper && m_options.on_replica && keeper.error().kind == ErrorKind::forbidden) {
      return util::fail(of_replica(ns, record->holder));  // alive or not: it can be asked
    }
    if (!keeper) {
      return util::fail(cannot_lock(ns, keeper.error()));
    }
    held.keeper = *std::move(keeper);
    if (held.keeper && held.keeper->record.holder == record->holder) {
      record->renew_time = held.keeper->record.renew_time;
      record->duration = held.keeper->record.duration;
      record->is_orphan = held.keeper->record.is_orphan;
    } else {
      record->holder.clear();  // nobody holds it any more
    }
  }
  held.state.observe(record, m_options.clock->boot());
  return {};
}

// A replica that does not renew loses its Lease before what it holds: if it wakes up, it knows.
// False: it has renewed meanwhile.
util::Result<bool> ProjectLocks::unseat(const Held& held) {
  const std::string& holder = held.state.holder();
  return holder.empty() || holder == m_options.identity || !held.keeper
             ? true
             : remove_replica(*m_home, *held.keeper);
}

// True when written; false when somebody else was faster or the namespace takes no objects.
util::Result<bool> ProjectLocks::write(Held& held, const std::string& ns, bool create,
                                       const std::string& holder) {
  const auto sent = m_options.clock->boot();
  const auto term =
      m_leases.replica() != nullptr && !holder.empty() ? m_leases.replica()->term() : nullptr;
  if (term && !term->valid(sent)) {
    return util::fail(not_renewed(ns));
  }
  LeaseRecord record =
      held.state.desired(m_options.run_id, util::format_micro_time(m_options.clock->now()));
  record.holder = holder;
  record.replica = term ? term->lease() : "";
  record.process = term || holder.empty() ? "" : util::own_process_mark();
  const Json body = lease_of(record, ns, k_project_lease);
  kube::ApiCall call = create ? kube::create(kube::well_known::leases(), body)
                              : kube::replace(kube::well_known::leases(), body);
  call.timeout = m_options.times.deadline;  // an answer after that is of no use
  call.urgent = true;
  auto reply = m_home->json(call);
  if (reply) {
    LeaseRecord kept = record_of(*reply);
    if (!record.uid.empty() && kept.uid != record.uid) {
      return false;  // that one is gone
    }
    held.state.acquired(kept, sent);
    held.term = term;
    return true;
  }
  const util::Error& error = reply.error();
  if (error.kind == ErrorKind::not_found || kube::takes_no_objects(*m_home, ns)) {
    held.needless = true;
    return false;
  }
  if (error.kind == ErrorKind::conflict) {
    return false;
  }
  return util::fail(cannot_lock(ns, error));
}

util::Result<> ProjectLocks::acquire(Used& used, const std::string& ns,
                                     const std::stop_token& stop) {
  Held& held = *used.held;
  used.checked = ++held.taken;
  // A Lease cannot be where nothing is created any more, and is not needed there.
  held.needless = kube::takes_no_objects(*m_home, ns, stop);
  if (held.needless) {
    return {};
  }
  if (stop.stop_requested()) {  // no new lock only to record where it stood: others may know more
    return util::fail(ErrorKind::cancelled, cat("stopped before the lock of ", ns, " was taken"));
  }
  const auto give_up = m_options.clock->boot() + m_options.timeout;
  bool raced = false;
  bool asked = false;
  while (true) {
    auto taken = try_to_take(used, ns, stop);
    const bool waits = taken && held.state.next(m_options.clock->boot()) == LockState::Step::wait;
    if (taken && !*taken && waits && held.keeper && m_options.on_replica) {
      taken = util::fail(of_replica(ns, held.state.holder()));
    }
    if (!taken && taken.error().reason == k_of_replica) {
      m_options.on_replica(ns);
    }
    KUBIST_CHECK(taken);
    if (*taken) {
      return {};
    }
    if (waits && held.keeper && m_options.take_over && !std::exchange(asked, true)) {
      KUBIST_CHECK(ask_for(ns, stop));
    }
    if (waits || std::exchange(raced, true)) {  // else it is read at once who was faster
      KUBIST_CHECK(wait(held, ns, give_up, stop));
    }
  }
}

// False: another has it, or was faster.
util::Result<bool> ProjectLocks::try_to_take(Used& used, const std::string& ns,
                                             const std::stop_token& stop) {
  Held& held = *used.held;
  KUBIST_CHECK(observe(held, ns, stop));
  const auto step = held.state.next(m_options.clock->boot());
  if (step == LockState::Step::wait) {
    return false;
  }
  const auto free = unseat(held);
  if (!free) {
    return util::fail(cannot_lock(ns, free.error()));
  }
  if (!*free) {
    return false;
  }
  const std::string version = held.state.version();
  KUBIST_TRY(const bool written,
             write(held, ns, step == LockState::Step::create, m_options.identity));
  if (!written || held.needless) {
    return held.needless;
  }
  m_leases.taken(ns, version, m_options.clock->boot());
  auto checked = recheck(ns);
  if (!checked) {
    static_cast<void>(write(held, ns, false, ""));
    held.lose();
    return util::fail(checked.error());
  }
  // Checking took its time, and nobody renewed meanwhile.
  KUBIST_TRY(const bool fresh, renew(held, ns));
  return fresh || held.needless;
}

util::Result<> ProjectLocks::ask_for(const std::string& ns, const std::stop_token& stop) {
  auto lease = find_lease(*m_home, ns, k_project_lease, stop);
  if (!lease) {
    return util::fail(cannot_lock(ns, lease.error()));
  }
  if (*lease && !record_of(**lease).replica.empty()) {
    (**lease)["metadata"]["annotations"][std::string(k_take_over)] = m_options.identity;
    const auto asked = m_home->json(kube::replace(kube::well_known::leases(), **lease));
    if (!asked && !kube::is_conflict(asked.error())) {
      return util::fail(
          cannot_lock(ns, util::with_context(asked.error(), "cannot ask its replica for it")));
    }
  }
  return {};
}

util::Result<> ProjectLocks::wait(const Held& held, const std::string& ns,
                                  util::BootClock::time_point give_up,
                                  const std::stop_token& stop) {
  const auto now = m_options.clock->boot();
  const bool known = held.state.next(now) == LockState::Step::wait;
  const std::string by = known ? cat(held.state.holder(), " (run ", held.state.holder_run(), ")")
                               : std::string("others, one after another");
  if (now >= give_up) {
    return util::fail(ErrorKind::conflict, cat("project namespace ", ns, " is locked by ", by),
                      held.keeper
                          ? "A replica of a controller has it: 'kubist reconcile' has it do what "
                            "there is to do, 'kubist reconcile --take-over' takes the project."
                          : "Wait for it to end, or give --lock-timeout to wait here.",
                      "Locked");
  }
  if (m_options.progress) {
    m_options.progress(cat("waiting for the lock of ", ns, ", held by ", by));
  }
  const auto next = m_options.take_over ? k_asked_pause
                    : known             ? held.state.wait_time(now)
                                        : m_options.times.retry;
  const auto pause = std::min<std::chrono::nanoseconds>(next, give_up - now);
  return m_options.sleep(pause, stop)
             ? util::Result<>{}
             : util::fail(ErrorKind::cancelled, cat("stopped while waiting for the lock of ", ns));
}

}  // namespace kubist::executors
