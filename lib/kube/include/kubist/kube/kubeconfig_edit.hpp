#pragma once
#include <optional>
#include <string>

#include <kubist/kube/kubeconfig.hpp>

namespace kubist::kube {

/// What becomes of a context. A field that is not given stays; an empty namespace goes.
struct ContextChange {
  std::string name;
  std::optional<std::string> cluster, user, ns;
};

/// Changes the context in the file that has it, else adds it to the first file of the list that is
/// there (to the last, where none is). Reads and writes files (0600, atomic). All
/// contexts are rewritten; comments elsewhere stay where these are in block style. True: it is a
/// new one. Invalid: the file is no kubeconfig.
util::Result<bool> set_context(const Overrides& overrides, const Environment& env,
                               const ContextChange& change);

}  // namespace kubist::kube
