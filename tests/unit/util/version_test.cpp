#include <doctest/doctest.h>

#include <kubist/util/version.hpp>

using kubist::util::parse_version;

TEST_CASE("versions: compare as semantic versions") {
  CHECK(parse_version("1.2.3") == parse_version("1.2.3"));
  CHECK(parse_version("1.2.10") > parse_version("1.2.9"));
  CHECK(parse_version("v0.1.0") < parse_version("0.2.0"));
  CHECK(parse_version("") < parse_version("0.0.1"));
  CHECK(parse_version("1.0.0-rc.1") < parse_version("1.0.0"));
  CHECK(parse_version("1.0.0-rc.2") < parse_version("1.0.0-rc.10"));
  CHECK(parse_version("1.0.0-1") < parse_version("1.0.0-rc"));
  CHECK(parse_version("1.0.0-rc") < parse_version("1.0.0-rc.1"));
  CHECK(parse_version("1.0.0+build") == parse_version("1.0.0"));
}
