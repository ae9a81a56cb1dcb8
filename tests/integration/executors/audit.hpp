#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

#include "support/live.hpp"

/// The audit log of a cluster, as the tests read it.
namespace it {

/// One request that changed something, as the audit log has it.
struct AuditedWrite {
  std::string user;  ///< as whom: the impersonated one where there is one
  std::string verb, resource, ns, name, subresource;
  std::string to_string() const;
};

/// The part of a cluster's audit log that is written after its construction.
class Audit {
 public:
  explicit Audit(std::string cluster);
  /// Mutating requests that a user of that name, or whose name begins so, sent by its own
  /// credentials or was impersonated for, and that were let through (server dry runs, and reviews
  /// of access and of who asks, change nothing), in order. So it counts what kubist does as another
  /// account, too.
  /// `reads`, where given, becomes the number of the user's other requests. Where it is not, the
  /// test fails if the log has no request at all of such a user: then "no writes" says nothing.
  std::vector<AuditedWrite> writes(const std::string& user, std::size_t* reads = nullptr);
  /// All finished requests that the user sent by its own credentials or was impersonated for.
  std::vector<Json> requests(const std::string& user);
  /// Did a binding of that name let any request through?
  bool let_through(const std::string& binding);

 private:
  /// Calls `take` for each finished request on a line that names `user`.
  void read(const std::string& user, const std::function<void(const Json& event)>& take);
  std::string m_cluster;
  std::filesystem::path m_path;
  std::uintmax_t m_start = 0;
};

}  // namespace it
