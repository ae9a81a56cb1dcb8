#include <utility>

#include <kubist/executors/lease.hpp>
#include <kubist/executors/replica.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/namespaces.hpp>
#include <kubist/kube/resource_version.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "world/lease_record.hpp"

namespace kubist::executors {

using data::Json;
using engine::LeaseRecord;
using engine::LockState;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::chrono::milliseconds k_asked_pause{250};  ///< where the holder was asked to let go

util::Error not_renewed(const std::string& ns) {
  return util::make_error(ErrorKind::conflict,
                          cat("the lock of project namespace ", ns, " could not be renewed"),
                          "Run again; check that the API server is reachable.", "Locked");
}

util::Error of_replica(const std::string& ns, const std::string& holder) {
  return util::make_error(ErrorKind::conflict,
                          cat("project namespace ", ns, " is that of replica ", holder),
                          "Run again; the replica is asked then.", std::string(k_of_replica));
}

util::Error cannot_lock(const std::string& ns, const util::Error& why) {
  return util::with_context(why, cat("cannot lock project namespace ", ns));
}

}  // namespace

struct HeldLeases::One {
  One(const std::string& identity, const engine::LockTimes& times) : state(identity, times) {}
  std::mutex mutex;  ///< also held while the lock is waited for
  LockState state;
  std::shared_ptr<const Term> term;    ///< in which a replica holds it; null: a run does
  std::optional<ReplicaLease> keeper;  ///< of the replica that had it as seen last
  int taken = 0;                       ///< how often, by any run
  bool needless = false;               ///< no namespace to lock in
  bool withheld = false;               ///< from the runs of this process

  bool held() const { return !needless && state.held(); }
  bool may_write(LockState::Time now) const {
    return state.held() && !withheld && (term ? term->valid(now) : state.may_write(now));
  }
  void lose() {
    state.lost();
    term = nullptr;
    publish();
  }
  /// Tells permits how it is now.
  void publish() {
    const std::lock_guard lock(m_permits);
    m_until = withheld                             ? LockState::Time::min()
              : needless || (state.held() && term) ? LockState::Time::max()
              : state.held()                       ? state.valid_until()
                                                   : LockState::Time::min();
    m_term = needless ? nullptr : term;
  }
  /// For permits, which must not wait for the mutex: whoever has it may be waiting for a request.
  bool permits(LockState::Time now) const {
    const std::lock_guard lock(m_permits);
    return now < m_until && (!m_term || m_term->valid(now));
  }

 private:
  mutable std::mutex m_permits;  ///< guards what follows
  LockState::Time m_until = LockState::Time::min();
  std::shared_ptr<const Term> m_term;
};

std::shared_ptr<HeldLeases::One> HeldLeases::join(const std::string& ns,
                                                  const std::string& identity,
                                                  const engine::LockTimes& times) {
  const std::lock_guard lock(m_mutex);
  Shared& shared = m_shared[ns];
  if (shared.users++ == 0) {
    shared.one = std::make_shared<One>(identity, times);
  }
  return shared.one;
}

bool HeldLeases::leave(const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  const auto shared = m_shared.find(ns);
  if (--shared->second.users > 0) {
    return false;
  }
  m_shared.erase(shared);
  return true;
}

void HeldLeases::freed(const std::string& ns, const std::string& version) {
  const std::lock_guard lock(m_mutex);
  m_alone[ns].freed = version;
}

void HeldLeases::taken(const std::string& ns, const std::string& version,
                       util::BootClock::time_point now) {
  const std::lock_guard lock(m_mutex);
  Alone& alone = m_alone[ns];
  if (version.empty() || alone.freed != version) {
    alone.since = now;
  }
  alone.freed.clear();
}

util::BootClock::time_point HeldLeases::since(const std::string& ns) const {
  const std::lock_guard lock(m_mutex);
  return m_alone.at(ns).since;
}

ProjectLocks::ProjectLocks(std::shared_ptr<kube::Client> home, Options options)
    : m_home(std::move(home)),
      m_options(std::move(options)),
      m_leases(m_options.held != nullptr ? *m_options.held : m_own) {}

ProjectLocks::~ProjectLocks() { release(); }

ProjectLocks::Used& ProjectLocks::use(const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  Used& used = m_used[ns];
  if (!used.held) {
    used.held = m_leases.join(ns, m_options.identity, m_options.times);
  }
  return used;
}

http::Permit ProjectLocks::permit(const std::string& ns) {
  return [held = use(ns).held, clock = m_options.clock, ns]() -> util::Result<> {
    return held->permits(clock->boot()) ? util::Result<>{} : util::fail(not_renewed(ns));
  };
}

kube::Writer::Rules ProjectLocks::rules(const std::string& ns, const std::stop_token& stop) {
  kube::Writer::Rules rules;
  rules.before = [this, ns, stop] { return before_write(ns, stop); };
  rules.permit = permit(ns);
  return rules;
}

util::Result<> ProjectLocks::before_write(const std::string& ns, const std::stop_token& stop) {
  Used& used = use(ns);
  Held& held = *used.held;
  {
    const std::lock_guard lock(m_mutex);
    if (m_leases.replica() == nullptr && !m_renewer.joinable()) {
      KUBIST_TRY(m_renewer, util::start_thread([this](const std::stop_token& own) {
                   while (util::sleep_for(m_options.times.retry, own)) {
                     // What could not be renewed is found stale by before_write().
                     static_cast<void>(util::guarded([&] { renew_all(); }));
                   }
                 }));
    }
  }
  const std::lock_guard lock(held.mutex);
  if (held.withheld) {
    return util::fail(ErrorKind::conflict,
                      cat("another kubist asked for the lock of project namespace ", ns),
                      "It is run again once that one has ended.", "Locked");
  }
  if (held.needless && used.checked == held.taken) {
    return {};
  }
  const auto now = m_options.clock->boot();
  if (held.term && !held.term->valid(now)) {
    held.lose();
  }
  if (held.held()) {
    return held.may_write(now) ? check(used, ns) : util::fail(not_renewed(ns));
  }
  auto acquired = acquire(used, ns, stop);
  held.publish();
  return acquired;
}

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
  const Json body = lease_of(record, ns, k_project_lease);
  kube::ApiCall call = create ? kube::create(kube::well_known::leases(), body)
                              : kube::replace(kube::well_known::leases(), body);
  call.timeout = m_options.times.deadline;  // an answer after that is of no use
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

// True when it is fresh; false when it is no longer ours.
util::Result<bool> ProjectLocks::renew(Held& held, const std::string& ns) {
  const auto now = m_options.clock->boot();
  if (held.term) {
    return held.term->valid(now);
  }
  if (held.state.next(now) != LockState::Step::renew) {
    return true;
  }
  KUBIST_TRY(const bool written, write(held, ns, false, m_options.identity));
  if (!written) {
    held.state.lost();
  }
  return written;
}

void ProjectLocks::renew_all() {
  std::map<std::string, Used> all;
  {
    const std::lock_guard lock(m_mutex);
    for (const auto& [ns, used] : m_used) {
      all[ns].held = used.held;
    }
  }
  for (const auto& [ns, used] : all) {
    const auto& held = used.held;
    // Who has this mutex may be waiting for another kubist: the other locks are renewed meanwhile.
    const std::unique_lock lock(held->mutex, std::try_to_lock);
    if (lock && held->held()) {
      static_cast<void>(renew(*held, ns));
      held->publish();
    }
  }
}

void ProjectLocks::release() {
  m_renewer.request_stop();
  if (m_renewer.joinable()) {
    m_renewer.join();
  }
  const std::lock_guard lock(m_mutex);
  for (const auto& [ns, used] : m_used) {
    const std::lock_guard entry(used.held->mutex);
    if (m_leases.leave(ns)) {
      free(*used.held, ns);
    }
  }
  m_used.clear();
}

void ProjectLocks::release(const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  if (const auto used = m_used.extract(ns)) {
    const std::lock_guard entry(used.mapped().held->mutex);
    m_leases.leave(ns);
    free(*used.mapped().held, ns);
  }
}

void ProjectLocks::free(Held& held, const std::string& ns) {
  // A lease that is not freed goes stale by itself, and one whose term is over is free.
  const bool ours = held.held() && (!held.term || held.term->valid(m_options.clock->boot()));
  held.needless = false;
  held.lose();
  const auto write_free = [&] { return util::guarded([&] { return write(held, ns, false, ""); }); };
  auto freed = ours ? write_free() : util::Result<bool>(false);
  // Somebody may have written an annotation.
  if (ours && freed && !*freed && observe(held, ns, {}) &&
      held.state.holder() == m_options.identity) {
    freed = write_free();
  }
  if (freed.value_or(false)) {
    m_leases.freed(ns, held.state.version());
    held.state.lost();
  }
}

void ProjectLocks::withhold(const std::string& ns, bool so) {
  const auto held = use(ns).held;
  const std::lock_guard lock(held->mutex);
  held->withheld = so;
  held->publish();
}

bool ProjectLocks::seen(const std::string& ns, std::string_view holder, std::string_view version) {
  const auto held = use(ns).held;
  const std::lock_guard lock(held->mutex);
  if (holder == m_options.identity) {
    return false;
  }
  const bool lost = held->needless ? !holder.empty()
                                   : held->held() && kube::is_newer(version, held->state.version());
  if (lost) {
    held->needless = false;
    held->lose();
  }
  return lost;
}

util::Result<bool> ProjectLocks::look(const std::string& ns, const std::stop_token& stop) {
  const auto held = use(ns).held;
  const std::lock_guard lock(held->mutex);
  if (!held->held()) {
    return false;
  }
  KUBIST_TRY(const auto lease, find_lease(*m_home, ns, k_project_lease, stop));
  const bool lost = !lease || record_of(*lease).holder != m_options.identity;
  if (lost) {
    held->lose();
  }
  return lost;
}

}  // namespace kubist::executors
