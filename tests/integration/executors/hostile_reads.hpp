#pragma once
#include "hostile_checks.hpp"

namespace it::hostile {

/// Fails the test unless each read was made as the account of the project whose object causes it,
/// or is one of kubist's own, which docs/background/security.md lists. For callers that
/// impersonate.
void check_reads(Audit& audit, const Caller& caller, const Names& names);

}  // namespace it::hostile
