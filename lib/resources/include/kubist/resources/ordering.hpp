#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include <kubist/resources/object.hpp>

namespace kubist::resources {

/// The place of a kind in the order of an apply; smaller is earlier, equal may go in parallel.
/// Namespaces and CRDs first, then what others name (policies, accounts, RBAC, configuration,
/// storage, services), workloads, unknown and custom kinds, kubist's own kinds in the order of the
/// tree, and at last what intercepts requests (webhooks, APIServices).
int apply_rank(std::string_view group, std::string_view kind);

/// One step of an apply: indices into the input, in the input's order.
struct Wave {
  std::vector<std::size_t> items;
  /// What this wave makes must be there (Namespace active, CRD established) before the next starts.
  bool barrier = false;
};

/// Groups objects into waves of equal rank, in apply order.
std::vector<Wave> apply_waves(const std::vector<ObjectRef>& objects);
/// The same backwards, for deletion; no barriers, the caller waits as it likes.
std::vector<Wave> delete_waves(const std::vector<ObjectRef>& objects);

}  // namespace kubist::resources
