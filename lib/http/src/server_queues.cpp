#include "server_queues.hpp"

#include <algorithm>

#include <kubist/util/fair_queue.hpp>

namespace kubist::http {
namespace {

/// In flight at all servers; one more each of servers that have none.
constexpr std::size_t k_all = 511;
/// What was learned of more servers than that is forgotten where nothing is under way.
constexpr std::size_t k_known = 1024;

}  // namespace

void ServerQueues::push(std::unique_ptr<CurlExchange> exchange) {
  const std::string origin = exchange->origin();
  if (m_servers.size() >= k_known && !m_servers.contains(origin)) {
    forget_idle();
  }
  m_in_line.insert(origin);
  Server& server =
      m_servers.try_emplace(origin, m_limits.value_or(GovernorOptions{})).first->second;
  if (exchange->request().urgent) {
    server.waiting.push_front(std::move(exchange));
  } else {
    server.waiting.push_back(std::move(exchange));
  }
}

std::unique_ptr<CurlExchange> ServerQueues::pop() {
  for (const std::string& origin : m_in_line) {
    Server& server = m_servers.at(origin);
    if (!has_room(server)) {
      continue;
    }
    auto exchange = std::move(server.waiting.front());
    server.waiting.pop_front();
    ++server.in_flight;
    ++m_in_flight;
    if (server.waiting.empty()) {
      m_in_line.erase(origin);
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
  for (const std::string& origin : m_in_line) {
    auto& waiting = m_servers.at(origin).waiting;
    const auto found = std::find_if(waiting.begin(), waiting.end(),
                                    [id](const auto& exchange) { return exchange->id() == id; });
    if (found == waiting.end()) {
      continue;
    }
    auto exchange = std::move(*found);
    waiting.erase(found);
    if (waiting.empty()) {
      m_in_line.erase(origin);
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
  return !m_limits ||
         util::Shares{server.governor.limit(), k_all}.has_room(server.in_flight, m_in_flight);
}

void ServerQueues::forget_idle() {
  std::erase_if(m_servers, [](const auto& each) {
    return each.second.in_flight == 0 && each.second.waiting.empty();
  });
}

}  // namespace kubist::http
