#include <doctest/doctest.h>

#include <kubist/util/error.hpp>

using namespace kubist;
using util::ErrorKind;

TEST_CASE("errors: a reason is given where they are made, or later") {
  CHECK(util::make_error(ErrorKind::invalid, "no", "", "Taken").reason == "Taken");
  const auto placed = util::make_error(ErrorKind::invalid, {"a.yaml", 3, 1}, "no", "", "Taken");
  CHECK(placed.reason == "Taken");
  CHECK(placed.to_string() == "a.yaml:3:1: no");
  const auto other = util::with_reason(placed, "Reserved");
  CHECK(other.reason == "Reserved");
  CHECK(other.pos == placed.pos);
  CHECK(util::with_default_reason(placed, "Reserved").reason == "Taken");
  CHECK(util::with_default_reason(util::make_error(ErrorKind::invalid, "no"), "Reserved").reason ==
        "Reserved");
}
