#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "../fake_cluster.hpp"
#include "server.hpp"

namespace kubist::testing {

/// The user of put() and the like.
inline constexpr const char* k_operator = "fake-operator";

/// A server, who watches it, what it was asked, and what is to go wrong. Under the lock but for
/// end() and close(), which take it.
struct FakeCluster::Impl {
  struct Fault {
    std::string pattern;
    int times = 1;
    std::function<std::optional<util::Result<http::Response>>()> answer;
  };
  std::mutex mutex;
  FakeServer server{[this](const FakeEvent& event) { watches.tell(event); }};
  FakeWatches watches;
  std::vector<LoggedRequest> log;
  std::vector<Fault> faults;
  std::function<bool(const LoggedRequest&)> may;  ///< of who is impersonated; empty: all

  /// The first fault that is due for it (faults.cpp).
  std::optional<Fault> fault_for(const FakeRequest& request);
  void note(const FakeRequest& request, int status);
  http::Response serve(const FakeRequest& request);
  /// Opens it, and tells what has happened since; nothing: it is open, else the answer.
  std::optional<http::Response> open(const FakeRequest& asked, const http::Request& request,
                                     const http::Done& done, FakeWatches::Place& place);
  bool close(const FakeWatches::Place& place);
  /// Ends all watches so.
  void end(const util::Result<http::Response>& outcome);
};

}  // namespace kubist::testing
