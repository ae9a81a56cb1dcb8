#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <kubist/util/error.hpp>

namespace kubist::kube {
class Client;
}

namespace kubist::executors {

/// What a watch sees, as its client and in that namespace (empty: in all).
struct Sight {
  std::shared_ptr<kube::Client> client;
  std::string ns;
};

/// Tells people of watches that see nothing at present: once when one goes away (unless it is back
/// within a second), once more when that lasts, and when it is back. Watches that say the same at
/// the same time share a line. Any thread.
class Absences {
 public:
  using Time = std::chrono::steady_clock::time_point;

  using Returned = std::function<void(const Sight&)>;

  /// `tell` is called on a thread of its own, `returned` by a watch that is back and had been away
  /// for longer than a moment, with what it sees again.
  explicit Absences(std::function<void(const std::string& line)> tell, Returned returned = {});
  /// Only keeps the lines, for take().
  Absences() = default;

  void trouble(const std::string& watch, const util::Error& error, Time now);
  void back(const std::string& watch, Time now, const Sight& sight = {});
  /// A line as it is.
  void say(std::string line);
  /// That watch is no more.
  void forget(const std::string& watch);

  /// The lines that are due.
  std::vector<std::string> take(Time now);
  /// When the next one is.
  std::optional<Time> next() const;

 private:
  enum class Stage { gone, told, told_again, back };
  struct Watch {
    Stage stage = Stage::gone;
    Time since;
    Time due;    ///< of the next line
    Time until;  ///< of one that is back
    util::Error error;
  };
  std::optional<Time> next_due() const;
  void run(const std::stop_token& stop);

  std::function<void(const std::string&)> m_tell;
  Returned m_returned;
  mutable std::mutex m_mutex;  ///< guards what follows
  std::condition_variable_any m_changed;
  std::vector<std::string> m_lines;  ///< that were said and are not told
  std::map<std::string, Watch> m_watches;
  std::jthread m_thread;  ///< last: it uses all of the above
};

}  // namespace kubist::executors
