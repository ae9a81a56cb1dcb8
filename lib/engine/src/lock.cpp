#include <algorithm>

#include <kubist/engine/lock.hpp>

namespace kubist::engine {

namespace {

bool same_claim(const LeaseRecord& a, const LeaseRecord& b) {
  return a.holder == b.holder && a.renew_time == b.renew_time && a.transitions == b.transitions;
}

}  // namespace

LockState::LockState(std::string identity, LockTimes times)
    : m_identity(std::move(identity)), m_times(times) {}

void LockState::observe(const std::optional<LeaseRecord>& record, Time now) {
  // client-go: the clock restarts only when the record changes, never from the times inside it.
  if (!m_record || !record || !same_claim(*m_record, *record)) {
    m_observed_at = now;
  }
  if (record && record->is_orphan &&
      !(m_record && m_record->is_orphan && same_claim(*m_record, *record))) {
    m_orphan_at = now;
  }
  m_record = record;
  if (m_held && (!record || record->holder != m_identity)) {
    m_held = false;
  }
}

void LockState::acquired(const LeaseRecord& record, Time sent) {
  m_record = record;
  m_observed_at = sent;
  m_renewed_at = sent;
  m_held = true;
}

void LockState::lost() { m_held = false; }

bool LockState::stale(Time now) const {
  auto lease = std::max<std::chrono::milliseconds>(m_record->duration, std::chrono::seconds(1));
  return now - m_observed_at >= lease ||
         (m_record->is_orphan && now - m_orphan_at >= m_times.retry);
}

LockState::Step LockState::next(Time now) const {
  if (m_held) {
    return now - m_renewed_at >= m_times.retry ? Step::renew : Step::none;
  }
  if (!m_record) {
    return Step::create;
  }
  if (m_record->holder.empty() || m_record->holder == m_identity || stale(now)) {
    return Step::take;
  }
  return Step::wait;
}

std::chrono::milliseconds LockState::wait_time(Time now) const {
  using std::chrono::ceil;
  using std::chrono::milliseconds;
  milliseconds left{0};
  switch (next(now)) {
    case Step::none:
      left = ceil<milliseconds>(m_renewed_at + m_times.retry - now);
      break;
    case Step::wait:
      left = std::min(m_times.retry, ceil<milliseconds>(m_observed_at + m_record->duration - now));
      break;
    case Step::create:
    case Step::take:
    case Step::renew:
      break;
  }
  return std::max(left, milliseconds(0));
}

bool LockState::may_write(Time now) const { return m_held && now < valid_until(); }

const std::string& LockState::holder() const {
  static const std::string nobody;
  return m_record ? m_record->holder : nobody;
}

const std::string& LockState::version() const {
  static const std::string none;
  return m_record ? m_record->resource_version : none;
}

const std::string& LockState::holder_run() const {
  static const std::string none;
  return m_record ? m_record->run_id : none;
}

LeaseRecord LockState::desired(const std::string& run_id, const std::string& renew_time) const {
  LeaseRecord record = m_record.value_or(LeaseRecord{});
  if (m_record && record.holder != m_identity) {
    ++record.transitions;
  }
  record.holder = m_identity;
  record.run_id = run_id;
  record.renew_time = renew_time;
  record.duration = std::chrono::duration_cast<std::chrono::seconds>(m_times.lease);
  return record;
}

}  // namespace kubist::engine
