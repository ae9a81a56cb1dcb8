#pragma once
#include <string>
#include <vector>

#include "left.hpp"
#include "support.hpp"
#include "support/fault_proxy.hpp"

namespace faults {

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
  /// What it leaves, to be compared.
  std::vector<Json> (*left)(const std::string& name) = nullptr;
  /// Makes what is there before, for all trials.
  void (*prepare)(const Words& names) = nullptr;
  int code = 0;  ///< of one that converges
};

/// Runs a command through all rows side by side; the first one has no fault. Each ends as its row
/// says; nothing is written more often than without a fault; where the fault was too much, the next
/// run converges; and in the end the same is left as without a fault.
void try_all(const std::string& test, const Command& command, const std::vector<Row>& rows);

}  // namespace faults
