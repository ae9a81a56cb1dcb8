#pragma once
#include <string>
#include <vector>

#include "audit.hpp"

/// tests/rights-exceptions.tsv.
namespace it {

/// The rights that a test case needs beside the printed ones; empty: none. $KUBIST_TEST_RIGHTS is
/// in place of the table's (scripts/needless-rights).
std::string exception_of(const std::string& test);

/// The rights of one line, but for those of an administrator: "VERB,VERB RESOURCE,RESOURCE.GROUP in
/// NAMESPACE; ...", and "controller" for what the controller's roles have.
class ExtraRights {
 public:
  /// Each by a role of its own, to a group.
  void grant(const std::string& group, const std::string& rights);
  /// Takes them back. Fails the test where one of them was not needed.
  void end();

 private:
  /// One of them, and the role that has it.
  struct Right {
    std::string text;
    std::string ns;  ///< that it holds in; empty: in all
    std::string role;
  };
  void check_used(const Right& right);
  std::vector<Right> m_rights;
  Audit m_audit{"home"};
};

}  // namespace it
