#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/deployers/item.hpp>
#include <kubist/deployers/world.hpp>

namespace kubist::deployers {

/// Replaces known values in text: each of 6 bytes or more, as it is, in base64 (both alphabets) and
/// as a JSON string's content; of several lines, each of them too.
class Redactor {
 public:
  void add(std::string_view value);
  /// Every string leaf of the value, and numbers of 6 characters or more.
  void add_all(const Json& value);
  /// With more values than can be looked for in it, the text is left out.
  std::string redact(std::string_view text) const;

 private:
  /// The longest first, so that no part of a value stays where another value begins like it.
  struct LongestFirst {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  std::set<std::string, LongestFirst> m_needles;
};

/// One kept tail.
struct KeptLog {
  std::string job;
  std::string time;  ///< RFC 3339
  std::string text;
};
inline constexpr std::size_t k_kept_logs = 3;
inline constexpr std::size_t k_log_tail = std::size_t{64} << 10U;

/// The tails of an item's last runs, newest first, from Secret NAME-logs; empty when there is none.
util::Result<std::vector<KeptLog>> kept_logs(kube::Client& home, const std::string& ns,
                                             const std::string& item, std::stop_token stop = {});

/// How to reach the cluster that an item's pod runs on, by its Cluster object's name (never empty).
using ClusterConnector =
    std::function<util::Result<std::shared_ptr<kube::Client>>(const std::string& cluster)>;

struct LogRequest {
  std::string ns, item;
  bool follow = false;       ///< wait for the pod of a run that has begun, and go on until it ends
  std::size_t previous = 0;  ///< that many runs back, from what is kept
  bool all_containers = false;  ///< of a pod: restore and collect too, each line with its container
  /// Of a pod as the API has them; of what is kept only the lines at the end can be chosen.
  bool timestamps = false;
  std::optional<std::int64_t> since_seconds, tail_lines;
  ClusterConnector connect;
};

/// The log of an item's workload, line by line: of its pod while there is one, else what was kept
/// of the last run. Values of imports and of Secrets that the workload names are redacted. Lines
/// come from one thread at a time. Not_found: no such item, no run yet. Forbidden: the caller may
/// not read the Secrets that would have to be redacted.
util::Result<> read_item_log(std::shared_ptr<kube::Client> home, const LogRequest& request,
                             const std::function<bool(std::string_view line)>& on_line,
                             std::stop_token stop = {});

}  // namespace kubist::deployers
