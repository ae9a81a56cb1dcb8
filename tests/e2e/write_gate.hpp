#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "integration/executors/support.hpp"

namespace kubist::testing {
class LoopbackServer;
}

/// Stops a chosen write of anybody inside the API server, before it is made: so that who writes can
/// be killed at that point, however short the time between two writes is.
namespace it {

/// One write that the API server is about to make.
struct GatedWrite {
  std::string operation;              ///< CREATE, UPDATE, DELETE
  std::string resource, subresource;  ///< "deployitems", "status"
  std::string name;                   ///< empty where the server is to generate it
  std::string user;                   ///< the impersonated one where there is one
  Json object;                        ///< as it would be; null for DELETE
};

/// A validating webhook of the test's own over the writes of items, pods, Secrets and accounts in
/// one namespace of the home cluster; gone with this object. Threads: any.
class WriteGate {
 public:
  using Holds = std::function<bool(const GatedWrite&)>;

  explicit WriteGate(std::string ns);
  ~WriteGate();
  WriteGate(const WriteGate&) = delete;
  WriteGate& operator=(const WriteGate&) = delete;

  /// From now on all writes for which it is true wait, until let_go(). The server gives up, and
  /// refuses a write, after 30 s.
  void hold(Holds holds);
  /// The first write that waits; nothing when there is none then.
  std::optional<GatedWrite> held(int seconds = 120);
  /// Makes or refuses the writes that wait; later ones pass.
  void let_go(bool make);

 private:
  bool decide(const GatedWrite& write);
  void answer(const std::string& review, const std::function<void(const std::string&)>& reply);
  void install(const std::string& certificate);

  std::string m_ns, m_name;
  kubist::util::TempDir m_folder{"gate"};
  std::mutex m_mutex;  // guards what follows
  std::condition_variable m_changed;
  Holds m_holds;
  std::deque<GatedWrite> m_waiting;
  bool m_make = true;
  bool m_probed = false;
  int m_round = 0;
  std::unique_ptr<kubist::testing::LoopbackServer> m_server;
};

}  // namespace it
