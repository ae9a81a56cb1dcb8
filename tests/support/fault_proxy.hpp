#pragma once
#include <string>
#include <vector>

#include <sys/types.h>

#include <kubist/data/json.hpp>

namespace it {

/// A proxy before a test cluster's API server that makes faults: tests/cluster/go/faultproxy, whose
/// rules.go says what a rule may be. It speaks HTTP/2 with a certificate of the cluster's
/// authority, and hands requests on as whoever sent them, by certificate or token. It ends with
/// this object or with the test's process. One thread.
class FaultProxy {
 public:
  /// "home", "target1", ... `ports`: how many it listens at, all before that one API server.
  explicit FaultProxy(const std::string& cluster = "home", int ports = 1);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  /// Of each port.
  std::vector<std::string> urls() const;
  std::string url() const { return urls().front(); }
  /// The same arguments, through it; to home with the credentials that they have there.
  std::vector<std::string> through(std::vector<std::string> args) const;
  /// From now on these hold (an array), and are counted from nothing.
  void rules(const kubist::data::Json& rules);
  /// Resets all connections that stand.
  void cut();

  /// What became of each rule.
  struct Count {
    int seen;      ///< requests or connections that matched
    int acted;     ///< those that met the fault
    int answered;  ///< requests that matched and that the API server has answered
  };
  std::vector<Count> counts();

  /// Counts writes. The answer to the `most`-th never comes, and none is made after it (0: all are
  /// made): for who kills kubist there. `more`: rules that hold besides.
  void allow_writes(int most, const kubist::data::Json& more = kubist::data::Json::array());
  /// How many the API server has answered since.
  int writes() { return counts().front().answered; }
  /// Waits until there are so many; false: not in time.
  bool reached(int writes, int seconds);

 private:
  kubist::data::Json ask(const kubist::data::Json& command);
  kubist::data::Json answer();

  std::string m_cluster, m_unread;
  pid_t m_pid = -1;
  int m_in = -1, m_out = -1;  // its stdin and stdout
  std::vector<int> m_ports;
};

}  // namespace it
