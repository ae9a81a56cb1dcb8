#pragma once
#include <memory>
#include <optional>

#include "curl_exchange.hpp"

namespace kubist::http {

/// One thread around one multi handle. start() and the Calls' cancel() from any thread.
class CurlWorker {
 public:
  /// `limits`: of what is in flight at each server; `rule`: where connections may lead. Nothing and
  /// null: no limit.
  explicit CurlWorker(std::optional<GovernorOptions> limits, AddressRule rule = nullptr);
  /// Ends what is in flight as cancelled; waits for the thread unless it is this one.
  ~CurlWorker();
  CurlWorker(const CurlWorker&) = delete;
  CurlWorker& operator=(const CurlWorker&) = delete;

  Call start(Request request, std::shared_ptr<const EndpointOptions> options, Done done);

 private:
  struct Inbox;
  class Loop;
  std::optional<GovernorOptions> m_limits;
  AddressRule m_rule;
  std::shared_ptr<Inbox> m_inbox;
};

}  // namespace kubist::http
