#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <kubist/http/governor.hpp>

#include "curl_exchange.hpp"

namespace kubist::http {

/// Exchanges that wait until their server (scheme, host, port) may have one more in flight: one
/// that is slow, silent or overloaded holds up no other. One thread.
class ServerQueues {
 public:
  /// `limits` of each server; nothing: no limit.
  explicit ServerQueues(std::optional<GovernorOptions> limits) : m_limits(limits) {}

  void push(std::unique_ptr<CurlExchange> exchange);
  /// One that may begin, which is in flight from now on; null: there is none.
  std::unique_ptr<CurlExchange> pop();
  /// It was in flight, and ended so (null: without an answer).
  void ended(const CurlExchange& exchange, const Response* answer);
  /// One that waits; null: it does not.
  std::unique_ptr<CurlExchange> take(std::uint64_t id);
  /// Those that wait.
  std::vector<std::uint64_t> ids() const;
  /// May one begin?
  bool has_next() const;

 private:
  struct Server {
    explicit Server(GovernorOptions limits) : governor(limits) {}
    bool waits_urgently() const { return !waiting.empty() && waiting.front()->request().urgent; }
    Governor governor;
    std::size_t in_flight = 0;
    std::deque<std::unique_ptr<CurlExchange>> waiting;  ///< the urgent ones first
  };
  using Servers = std::map<std::string, Server>;
  bool has_room(const Server& server) const;
  void forget_idle();

  std::optional<GovernorOptions> m_limits;
  std::size_t m_in_flight = 0;
  Servers m_servers;                ///< by origin
  std::set<std::string> m_in_line;  ///< those for which something waits
  std::string m_last;               ///< which had its turn last
};

}  // namespace kubist::http
