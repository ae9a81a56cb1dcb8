#include "programs.hpp"

#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "support/paths.hpp"

namespace it {

namespace fs = std::filesystem;
using kubist::util::cat;

Programs::Programs() { ::setenv("KUBIST_CONFIG", file().c_str(), 1); }
Programs::~Programs() { ::unsetenv("KUBIST_CONFIG"); }

void Programs::add(const std::string& name, const std::string& script, const std::string& more) {
  const fs::path program = m_folder.path() / name;
  std::ofstream(program) << "#!/bin/sh\n" << script << '\n';
  fs::permissions(program, fs::perms::owner_all);
  add_file(name, program, more);
}

void Programs::add_file(const std::string& name, const fs::path& program, const std::string& more) {
  m_text += cat("  ", name, ": {program: ", program.string(), more, "}\n");
  std::ofstream(file()) << m_text;
}

fs::path krm_functions() {
  kubist::util::Command command;
  command.args = {kubist::paths::source_dir() + "/tests/cluster/cluster", "krm"};
  const auto result = kubist::util::run_command(command);
  REQUIRE_MESSAGE((result && result->exit_code == 0), (result ? result->err : ""));
  return std::string(kubist::util::trim(result->out));
}

Json config_map(Json fields) {
  fields.update({{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "config"}}}});
  return fields;
}

}  // namespace it
