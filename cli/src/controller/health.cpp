#include "controller/health.hpp"

#include <utility>

namespace kubist::cli {

namespace {

/// So long without a try to renew its Lease means that the process hangs; an API server that is
/// away is none of that.
constexpr std::chrono::minutes k_hangs{1};

}  // namespace

Health::Health(const executors::Replica& replica, std::stop_token stop, const util::Clock& clock)
    : m_replica(replica), m_stop(std::move(stop)), m_clock(clock) {}

Page Health::live() const {
  return m_clock.boot() - m_replica.tried_at() < k_hangs
             ? Page{200, "ok\n"}
             : Page{500, "the Lease of this replica has not been renewed for 1m\n"};
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
