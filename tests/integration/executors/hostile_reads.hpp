#pragma once
#include "hostile_checks.hpp"

namespace it::hostile {

/// Fails the test unless each read was made as the account of the project whose object causes it,
/// or is one of kubist's own, which docs/background/security.md lists; for callers that impersonate
/// nobody, unless it was such a one or ended at the projects' namespaces. Secrets and ConfigMaps of
/// the other project, and Secrets of namespaces of no project, are read for nobody.
void check_reads(Audit& audit, const Caller& caller, const Names& names);

}  // namespace it::hostile
