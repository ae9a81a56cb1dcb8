#pragma once
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/util/process.hpp>

namespace kubist::testing {

/// Makes these files, a key and its certificate, by `openssl req -x509` with more arguments.
inline void make_certificate(const std::string& certificate, const std::string& key,
                             const std::vector<std::string>& more) {
  util::Command command;
  command.args = {
      "openssl", "req",     "-x509", "-newkey", "ec",       "-pkeyopt", "ec_paramgen_curve:P-256",
      "-nodes",  "-keyout", key,     "-out",    certificate};
  command.args.insert(command.args.end(), more.begin(), more.end());
  const auto made = util::run_command(command);
  REQUIRE_MESSAGE((made && made->exit_code == 0), (made ? made->err : made.error().to_string()));
}

}  // namespace kubist::testing
