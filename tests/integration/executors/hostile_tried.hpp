#pragma once
#include <vector>

#include "hostile_checks.hpp"

namespace it::hostile {

/// Fails the test unless the audit log shows, of what each attempt must not make (`never`), what
/// its row says: of kubist's own limits (By::kubist) that nobody asked for a write of it; of the
/// API server's (By::server) that the project's account asked for one, nobody else did, and it was
/// forbidden; of those of either, one of both. The same of what it must not read (`reads`), which
/// is the API server's where kubist acts as that account.
void check_tried(const std::vector<Attempt>& all, Audit& audit, const Caller& caller,
                 const Names& names);

}  // namespace it::hostile
