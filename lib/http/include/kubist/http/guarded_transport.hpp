#pragma once
#include <memory>

#include <kubist/http/transport.hpp>

namespace kubist::http {

class CurlWorker;

/// For addresses that users name: nothing is sent to a link-local one (address.hpp),
/// whatever name or redirect leads there; the system's CAs, no client certificate. One thread, from
/// the first exchange on, and connections of its own: none that somebody else made is used. What is
/// in flight when it goes ends as cancelled. Behind a proxy of the environment it is the proxy that
/// knows where names lead. Any thread.
class GuardedEngine {
 public:
  GuardedEngine();
  ~GuardedEngine();
  GuardedEngine(const GuardedEngine&) = delete;
  GuardedEngine& operator=(const GuardedEngine&) = delete;

  /// The engine is not kept alive: without it every call is cancelled. Errors: those of
  /// transport.hpp, and k_failure_address.
  std::shared_ptr<Transport> transport() const;

 private:
  std::shared_ptr<CurlWorker> m_worker;
};

}  // namespace kubist::http
