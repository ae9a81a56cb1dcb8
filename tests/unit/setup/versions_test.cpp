#include <doctest/doctest.h>

#include <kubist/setup/install.hpp>

using namespace kubist::setup;

TEST_CASE("versions: compare as semantic versions") {
  CHECK(compare_versions("1.2.3", "1.2.3") == 0);
  CHECK(compare_versions("1.2.10", "1.2.9") == 1);
  CHECK(compare_versions("v0.1.0", "0.2.0") == -1);
  CHECK(compare_versions("", "0.0.1") == -1);
  CHECK(compare_versions("1.0.0-rc.1", "1.0.0") == -1);
  CHECK(compare_versions("1.0.0-rc.2", "1.0.0-rc.10") == -1);
  CHECK(compare_versions("1.0.0+build", "1.0.0") == 0);
}
