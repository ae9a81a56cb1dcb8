#include <atomic>

#include <kubist/data/pointer.hpp>
#include <kubist/executors/lease.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/namespaces.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::executors {

using data::Json;
using engine::LeaseRecord;
using engine::LockState;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::string_view k_lease_name = "kubist";
constexpr std::string_view k_run_annotation = "kubist.io/run";

LeaseRecord record_of(const Json& lease) {
  LeaseRecord record;
  record.holder = data::string_at(lease, {"spec", "holderIdentity"});
  record.run_id = data::string_at(lease, {"metadata", "annotations", k_run_annotation});
  record.renew_time = data::string_at(lease, {"spec", "renewTime"});
  record.transitions = data::count_at(lease, {"spec", "leaseTransitions"});
  record.duration = std::chrono::seconds(data::int_at(lease, {"spec", "leaseDurationSeconds"}, 15));
  record.resource_version = data::string_at(lease, {"metadata", "resourceVersion"});
  return record;
}

Json lease_of(const LeaseRecord& record, const std::string& ns) {
  Json lease{{"apiVersion", "coordination.k8s.io/v1"},
             {"kind", "Lease"},
             {"metadata",
              {{"name", k_lease_name},
               {"namespace", ns},
               {"annotations", {{k_run_annotation, record.run_id}}}}},
             {"spec",
              {{"holderIdentity", record.holder},
               {"leaseDurationSeconds", record.duration.count()},
               {"renewTime", record.renew_time},
               {"leaseTransitions", record.transitions}}}};
  if (!record.resource_version.empty()) {
    lease["metadata"]["resourceVersion"] = record.resource_version;
  }
  return lease;
}

util::Error not_renewed(const std::string& ns) {
  return util::make_error(ErrorKind::conflict,
                          cat("the lock of project namespace ", ns, " could not be renewed"),
                          "Run again; check that the API server is reachable.", "Locked");
}

util::Error cannot_lock(const std::string& ns, const util::Error& why) {
  return util::with_context(why, cat("cannot lock project namespace ", ns));
}

}  // namespace

struct ProjectLocks::Held {
  explicit Held(const Options& options) : state(options.identity, options.times) {}
  std::mutex mutex;  ///< also held while the lock is waited for
  LockState state;
  bool needless = false;  ///< no namespace to lock in
  /// For permits, which must not wait for the mutex: whoever has it may be waiting for a request.
  std::atomic<LockState::Time> valid_until{LockState::Time::min()};

  /// Tells permits how it is now.
  void publish() {
    valid_until = needless       ? LockState::Time::max()
                  : state.held() ? state.valid_until()
                                 : LockState::Time::min();
  }
};

ProjectLocks::ProjectLocks(std::shared_ptr<kube::Client> home, Options options)
    : m_home(std::move(home)), m_options(std::move(options)) {}

ProjectLocks::~ProjectLocks() { release(); }

std::shared_ptr<ProjectLocks::Held> ProjectLocks::held_of(const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  auto& entry = m_held[ns];
  if (!entry) {
    entry = std::make_shared<Held>(m_options);
  }
  return entry;
}

http::Permit ProjectLocks::permit(const std::string& ns) {
  return [held = held_of(ns), clock = m_options.clock, ns]() -> util::Result<> {
    return clock->boot() < held->valid_until.load() ? util::Result<>{}
                                                    : util::fail(not_renewed(ns));
  };
}

kube::Writer::Rules ProjectLocks::rules(const std::string& ns, const std::stop_token& stop) {
  kube::Writer::Rules rules;
  rules.before = [this, ns, stop] { return before_write(ns, stop); };
  rules.permit = permit(ns);
  return rules;
}

util::Result<> ProjectLocks::before_write(const std::string& ns, const std::stop_token& stop) {
  const std::shared_ptr<Held> held = held_of(ns);
  {
    const std::lock_guard lock(m_mutex);
    if (!m_renewer.joinable()) {
      KUBIST_TRY(m_renewer, util::start_thread([this](const std::stop_token& own) {
                   while (util::sleep_for(m_options.times.retry, own)) {
                     // What could not be renewed is found stale by before_write().
                     static_cast<void>(util::guarded([&] { renew_all(); }));
                   }
                 }));
    }
  }
  const std::lock_guard lock(held->mutex);
  if (held->needless) {
    return {};
  }
  if (held->state.held()) {
    if (held->state.may_write(m_options.clock->boot())) {
      return {};
    }
    return util::fail(not_renewed(ns));
  }
  auto acquired = acquire(*held, ns, stop);
  held->publish();
  return acquired;
}

util::Result<> ProjectLocks::observe(Held& held, const std::string& ns) {
  const auto found = m_home->find(kube::well_known::leases(), ns, k_lease_name);
  if (!found) {
    return util::fail(cannot_lock(ns, found.error()));
  }
  const std::optional<Json>& lease = *found;
  held.state.observe(lease ? std::optional(record_of(*lease)) : std::nullopt,
                     m_options.clock->boot());
  return {};
}

// True when written; false when somebody else was faster or the namespace takes no objects.
util::Result<bool> ProjectLocks::write(Held& held, const std::string& ns, bool create,
                                       const std::string& holder) {
  const auto sent = m_options.clock->boot();
  LeaseRecord record =
      held.state.desired(m_options.run_id, util::format_micro_time(m_options.clock->now()));
  record.holder = holder;
  const Json body = lease_of(record, ns);
  kube::ApiCall call = create ? kube::create(kube::well_known::leases(), body)
                              : kube::replace(kube::well_known::leases(), body);
  call.timeout = m_options.times.deadline;  // an answer after that is of no use
  auto reply = m_home->json(call);
  if (reply) {
    held.state.acquired(record_of(*reply), sent);
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

util::Result<> ProjectLocks::acquire(Held& held, const std::string& ns,
                                     const std::stop_token& stop) {
  // A Lease cannot be where nothing is created any more, and is not needed there.
  held.needless = kube::takes_no_objects(*m_home, ns);
  if (held.needless) {
    return {};
  }
  if (stop.stop_requested()) {  // no new lock only to record where it stood: others may know more
    return util::fail(ErrorKind::cancelled, cat("stopped before the lock of ", ns, " was taken"));
  }
  const auto give_up = m_options.clock->boot() + m_options.timeout;
  while (true) {
    KUBIST_CHECK(observe(held, ns));
    const auto step = held.state.next(m_options.clock->boot());
    if (step != LockState::Step::wait) {
      KUBIST_TRY(const bool written,
                 write(held, ns, step == LockState::Step::create, m_options.identity));
      if (held.needless) {
        return {};
      }
      if (!written) {
        continue;
      }
      auto checked = m_options.recheck ? m_options.recheck(ns) : util::Result<>{};
      if (!checked) {
        static_cast<void>(write(held, ns, false, ""));
        held.state.lost();
        return checked;
      }
      // Checking took its time, and nobody renewed meanwhile.
      KUBIST_TRY(const bool fresh, renew(held, ns));
      if (fresh || held.needless) {
        return {};
      }
      continue;
    }
    const auto now = m_options.clock->boot();
    const std::string by = cat(held.state.holder(), " (run ", held.state.holder_run(), ")");
    if (now >= give_up) {
      return util::fail(ErrorKind::conflict, cat("project namespace ", ns, " is locked by ", by),
                        "Wait for it to end, or give --lock-timeout to wait here.", "Locked");
    }
    if (m_options.progress) {
      m_options.progress(cat("waiting for the lock of ", ns, ", held by ", by));
    }
    const auto pause = std::min<std::chrono::nanoseconds>(held.state.wait_time(now), give_up - now);
    if (!m_options.sleep(pause, stop)) {
      return util::fail(ErrorKind::cancelled, cat("stopped while waiting for the lock of ", ns));
    }
  }
}

// True when it is fresh; false when it is no longer ours.
util::Result<bool> ProjectLocks::renew(Held& held, const std::string& ns) {
  if (held.state.next(m_options.clock->boot()) != LockState::Step::renew) {
    return true;
  }
  KUBIST_TRY(const bool written, write(held, ns, false, m_options.identity));
  if (!written) {
    held.state.lost();
  }
  return written;
}

void ProjectLocks::renew_all() {
  std::map<std::string, std::shared_ptr<Held>> all;
  {
    const std::lock_guard lock(m_mutex);
    all = m_held;
  }
  for (const auto& [ns, held] : all) {
    // Who has this mutex may be waiting for another kubist: the other locks are renewed meanwhile.
    const std::unique_lock lock(held->mutex, std::try_to_lock);
    if (lock && !held->needless && held->state.held()) {
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
  for (const auto& [ns, held] : m_held) {
    const std::lock_guard entry(held->mutex);
    held->valid_until = LockState::Time::min();
    if (held->state.held() && !held->needless) {
      // A lease that is not freed goes stale by itself.
      static_cast<void>(util::guarded([&] { return write(*held, ns, false, ""); }));
      held->state.lost();
    }
  }
  m_held.clear();
}

}  // namespace kubist::executors
