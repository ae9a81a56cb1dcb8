// Holding the Leases of projects: what permits their writes, renewing, letting go.
#include <utility>

#include <kubist/kube/resource_version.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "world/held_leases.hpp"

namespace kubist::executors {

namespace {

constexpr std::size_t k_renewals = 8;  ///< at once

}  // namespace

using engine::LockState;
using util::cat;
using util::ErrorKind;

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
  std::vector<std::pair<std::string, std::shared_ptr<Held>>> all;
  {
    const std::lock_guard lock(m_mutex);
    for (const auto& [ns, used] : m_used) {
      all.emplace_back(ns, used.held);
    }
  }
  // Side by side: one after another many projects would take longer than a Lease lasts.
  util::for_each_index(all.size(), k_renewals, [&](std::size_t i) {
    const auto& [ns, held] = all[i];
    // Who has this mutex may be waiting for another kubist: the other locks are renewed meanwhile.
    const std::unique_lock lock(held->mutex, std::try_to_lock);
    if (lock && held->held()) {
      static_cast<void>(renew(*held, ns));
      held->publish();
    }
  });
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
