#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/kube/discovery.hpp>
#include <kubist/util/result.hpp>

/// The requests of one look at a server's lists of kinds. The server may be a member's.
namespace kubist::kube {

using DiscoveryAnswer = util::Result<http::Response>;

/// What is left of the limits of one look. Any thread.
class DiscoveryBudget {
 public:
  /// Both must outlive it. The time begins now.
  DiscoveryBudget(const std::string& server, const DiscoveryLimits& limits)
      : until(std::chrono::steady_clock::now() + limits.time), m_server(server), m_limits(limits) {}

  const std::chrono::steady_clock::time_point until;
  /// timeout: there was no answer in time.
  DiscoveryAnswer late() const;
  /// An answer that is longer than what is left is dropped (unavailable), and so are all after it.
  DiscoveryAnswer admit(DiscoveryAnswer answer);

 private:
  DiscoveryAnswer fail(util::ErrorKind kind, const std::string& what, std::string reason) const;

  const std::string& m_server;
  const DiscoveryLimits& m_limits;
  std::atomic<std::size_t> m_bytes = 0;
};

/// A GET of a list of kinds: the aggregated form where the server has it.
http::Request discovery_request(const std::string& server, const std::string& path,
                                std::size_t max_body, const std::string& etag = {});
/// Sends all of them at once and waits for all, or until the budget's time is over.
std::vector<DiscoveryAnswer> send_all(http::Transport& transport,
                                      std::vector<http::Request> requests, DiscoveryBudget& budget,
                                      const std::stop_token& stop);

bool is_aggregated(const http::Response& response);
/// Empty: the answer has none.
std::string etag_of(const http::Response& response);
/// The answer's JSON object. Errors: the answer's own, api_error() of a status of 400 and more,
/// unavailable (not JSON, or too many values).
util::Result<data::Json> body_of(const std::string& url, const DiscoveryAnswer& answer);

}  // namespace kubist::kube
