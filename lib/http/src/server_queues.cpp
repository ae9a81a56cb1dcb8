#include "server_queues.hpp"

#include <algorithm>

#include <kubist/util/fair_queue.hpp>

namespace kubist::http {
namespace {

/// In flight at all servers; one more each of servers that have none.
constexpr std::size_t k_all = 511;
/// What was learned of more servers than that is forgotten where nothing is under way.
constexpr std::size_t k_known = 1024;
/// In flight beyond a server's limit, of what is urgent: else a server that holds back what was
/// sent would cost the lock.
constexpr std::size_t k_urgent = 8;

}  // namespace

void ServerQueues::push(std::unique_ptr<CurlExchange> exchange) {
  const std::string origin = exchange->origin();
  if (m_servers.size() >= k_known && !m_servers.contains(origin)) {
    forget_idle();
  }
  m_in_line.insert(origin);
  Server& server =
      m_servers.try_emplace(origin, m_limits.value_or(GovernorOptions{})).first->second;
  auto place = server.waiting.end();
  if (exchange->request().urgent) {
    place = std::find_if(server.waiting.begin(), server.waiting.end(),
                         [](const auto& other) { return !other->request().urgent; });
  }
  server.waiting.insert(place, std::move(exchange));
}

std::unique_ptr<CurlExchange> ServerQueues::pop() {
  auto line = m_in_line.upper_bound(m_last);
  for (std::size_t i = 0; i < m_in_line.size(); ++i, ++line) {
    line = line == m_in_line.end() ? m_in_line.begin() : line;
    Server& server = m_servers.at(*line);
    if (!has_room(server)) {
      continue;
    }
    m_last = *line;
    auto exchange = std::move(server.waiting.front());
    server.waiting.pop_front();
    ++server.in_flight;
    ++m_in_flight;
    if (server.waiting.empty()) {
      m_in_line.erase(line);
    }
    return exchange;
  }
  return nullptr;
}

void ServerQueues::ended(const CurlExchange& exchange, const Response* answer) {
  Server& server = m_servers.at(exchange.origin());
  if (m_limits && answer != nullptr) {
    server.governor.record(std::chrono::steady_clock::now(), exchange.request().method,
                           answer->status, server.in_flight, answer->latency);
  }
  --server.in_flight;
  --m_in_flight;
}

std::unique_ptr<CurlExchange> ServerQueues::take(std::uint64_t id) {
  for (auto line = m_in_line.begin(); line != m_in_line.end(); ++line) {
    auto& waiting = m_servers.at(*line).waiting;
    const auto found = std::find_if(waiting.begin(), waiting.end(),
                                    [id](const auto& exchange) { return exchange->id() == id; });
    if (found == waiting.end()) {
      continue;
    }
    auto exchange = std::move(*found);
    waiting.erase(found);
    if (waiting.empty()) {
      m_in_line.erase(line);
    }
    return exchange;
  }
  return nullptr;
}

std::vector<std::uint64_t> ServerQueues::ids() const {
  std::vector<std::uint64_t> all;
  for (const std::string& origin : m_in_line) {
    for (const auto& exchange : m_servers.at(origin).waiting) {
      all.push_back(exchange->id());
    }
  }
  return all;
}

bool ServerQueues::has_next() const {
  return std::any_of(m_in_line.begin(), m_in_line.end(),
                     [this](const std::string& origin) { return has_room(m_servers.at(origin)); });
}

bool ServerQueues::has_room(const Server& server) const {
  const std::size_t limit = server.governor.limit();
  return !m_limits || util::Shares{limit, k_all}.has_room(server.in_flight, m_in_flight) ||
         (server.waits_urgently() && server.in_flight < limit + k_urgent);
}

void ServerQueues::forget_idle() {
  std::erase_if(m_servers, [](const auto& each) {
    return each.second.in_flight == 0 && each.second.waiting.empty();
  });
}

}  // namespace kubist::http
