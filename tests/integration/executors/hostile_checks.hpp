#pragma once
#include <functional>
#include <string>

#include "hostile_stage.hpp"

/// What must hold after a hostile member's attempts.
namespace it::hostile {

/// Who runs kubist.
struct Caller {
  std::function<Words(Words)> as;
  std::string user;
  bool impersonates = true;  ///< the projects' accounts
  bool limited = false;      ///< to the printed roles: foreign namespaces may not be kept
};

/// Whether the attempt has the verdict that it must have; why not, otherwise.
std::string missing_verdict(const Attempt& attempt, const Names& names, const Caller& caller);
/// Fails the test, with what kubist said, unless
/// - each attempt has that verdict, and made nothing;
/// - the bystanders are as they were, `before` the attempts;
/// - each write was one of the member's or the other project's, by the account that it belongs to;
/// - of each attempt the audit log shows who asked for what, as the table has it;
/// - nothing in the member's namespace shows outside of it;
/// - the other project is Ready, with what it asked for.
void check_outcome(const std::vector<Attempt>& all, const std::vector<Json>& before, Audit& audit,
                   const Names& names, const Caller& caller, const std::string& said);

/// A DeployItem of 600 levels, which the member writes; gone with this, since no list of the test's
/// own could be read with it.
class DeepItem {
 public:
  DeepItem(kubist::kube::Client& who, std::string ns);
  ~DeepItem();
  DeepItem(const DeepItem&) = delete;
  DeepItem& operator=(const DeepItem&) = delete;

 private:
  std::string m_ns;
};

}  // namespace it::hostile
