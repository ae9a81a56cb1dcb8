#include <filesystem>

#include <doctest/doctest.h>

#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "helm/helm_render.hpp"
#include "support/variable.hpp"

using namespace kubist;
using namespace kubist::deployers;

TEST_CASE("helm: its memory has a limit, and reaching it is told in few words") {
  const util::TempDir folder;
  const auto program = folder.path() / "helm";
  // The collector's own limit is told in bytes, so that Go's heap stays below the process' limit.
  REQUIRE(util::write_file(program, util::cat("#!/bin/sh\nulimit -d > ", folder.path().string(),
                                              "/seen\necho $GOMEMLIMIT >> ", folder.path().string(),
                                              "/seen\necho 'fatal error: runtime: out of memory' "
                                              ">&2\nexit 2\n")));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const testing::Variable given("KUBIST_HELM", program.string());
  HelmConfig config;
  config.chart.archive = "tgz";
  World world;
  const auto values = chart_values(world, {}, config);
  REQUIRE_FALSE(values);
  CHECK(values.error().message ==
        "helm show of chart (archive) needed more than 1024 MiB of memory");
  CHECK(values.error().reason == "RenderFailed");
  CHECK(util::read_file(folder.path() / "seen").value() == "1048576\n805306368\n");
}
