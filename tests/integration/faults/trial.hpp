#pragma once
#include <string>
#include <vector>

#include "support.hpp"
#include "support/fault_proxy.hpp"

namespace faults {

using it::Json;
using it::Words;

/// One row of a table: how the API server misbehaves, and what a user sees of it.
struct Row {
  std::string fault;
  std::vector<Json> rules;  ///< of the proxy
  /// What kubist says where it cannot go on, and its exit code then. Else it converges.
  Words says = {};
  int code = 0;
  Words flags = {};
};

/// What is tried with each row. Of its words FOLDER is the folder of `objects`, and NAME the
/// trial's.
struct Command {
  Words words;
  std::vector<Json> (*objects)(const std::string& name);
  bool (*converged)(const std::string& name);
};

/// Runs a command through all rows side by side. Each ends as its row says; nothing is written more
/// often than without a fault; and where the fault was too much, the next run converges.
void try_all(const std::string& test, const Command& command, const std::vector<Row>& rows);

}  // namespace faults
