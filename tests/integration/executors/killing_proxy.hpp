#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include <kubist/kube/client.hpp>
#include <kubist/util/fs.hpp>

#include "support.hpp"

namespace kubist::testing {
class Connection;
class LoopbackServer;
struct ReceivedRequest;
}  // namespace kubist::testing

namespace it {

/// Stands between kubist and an API server, counts the writes that it lets through, and stops the
/// one after the k-th: whoever waits for k() kills kubist there. Threads: any.
class KillingProxy {
 public:
  /// "home" or "target1".
  explicit KillingProxy(const std::string& cluster);
  ~KillingProxy();
  KillingProxy(const KillingProxy&) = delete;
  KillingProxy& operator=(const KillingProxy&) = delete;

  /// Flags with which kubist goes through it.
  Words flags() const;
  /// Starts to count: after `most` writes none is made any more (0: all are).
  void allow(int most);
  /// Waits until as many writes have been made and answered by the API server; false: not in time.
  bool reached(int writes, int seconds);
  int writes();
  /// Answers that server dry run which istiod's webhook must refuse, as istiod would.
  void play_validator() { m_plays_validator = true; }

 private:
  void handle(const kubist::testing::ReceivedRequest& request,
              kubist::testing::Connection& connection);
  void forward(const kubist::kube::ApiCall& call, bool write,
               kubist::testing::Connection& connection);
  void watch(const kubist::kube::ApiCall& call, kubist::testing::Connection& connection);

  kubist::util::TempDir m_folder{"killing-proxy"};
  std::shared_ptr<kubist::kube::Client> m_client;
  std::stop_source m_stop;
  bool m_plays_validator = false;
  std::mutex m_mutex;  // guards what follows
  std::condition_variable m_changed;
  int m_most = 0;
  int m_started = 0;
  int m_done = 0;
  std::unique_ptr<kubist::testing::LoopbackServer> m_server;
};

}  // namespace it
