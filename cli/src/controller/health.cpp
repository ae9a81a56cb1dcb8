#include "controller/health.hpp"

#include <utility>

namespace kubist::cli {

namespace {

/// So long without a try to renew its Lease means that the process hangs; an API server that is
/// away is none of that.
constexpr std::chrono::minutes k_hangs{1};
/// The same of its loop, which waits for no server; starting runs of large trees takes it a while.
constexpr std::chrono::minutes k_loop_hangs{5};

}  // namespace

Health::Health(const executors::Replica& replica, std::stop_token stop, const util::Clock& clock)
    : m_replica(replica), m_stop(std::move(stop)), m_clock(clock), m_turned_at(clock.boot()) {}

void Health::turned(bool planned) {
  m_planned = planned;
  m_turned_at = m_clock.boot();
}

Page Health::live() const {
  if (m_clock.boot() - m_replica.tried_at() >= k_hangs) {
    return {500, "the Lease of this replica has not been renewed for 1m\n"};
  }
  return m_clock.boot() - m_turned_at.load() < k_loop_hangs
             ? Page{200, "ok\n"}
             : Page{500, "the loop of this replica has not turned for 5m\n"};
}

Page Health::ready() const {
  if (m_stop.stop_requested()) {
    return {503, "it is about to end\n"};
  }
  if (!m_replica.joined()) {
    return {503, "the Lease of this replica is not valid\n"};
  }
  return m_planned ? Page{200, "ok\n"} : Page{503, "it has not seen the tree yet\n"};
}

}  // namespace kubist::cli
