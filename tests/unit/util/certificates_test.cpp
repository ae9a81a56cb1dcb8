#include <chrono>

#include <doctest/doctest.h>

#include <kubist/util/key_pair.hpp>

#include "support/key_pair.hpp"

using namespace kubist;

TEST_CASE("certificates: the end of the last one of a text; nothing where there is none") {
  const std::string one = testing::make_key_pair().certificate;
  const auto end = util::certificates_end(one);
  REQUIRE(end);
  const auto left = *end - std::chrono::system_clock::now();
  CHECK(left > std::chrono::minutes(58));
  CHECK(left <= std::chrono::hours(1));
  CHECK(util::certificates_end("# mine\n" + one + one) >= end);
  CHECK(!util::certificates_end(""));
  CHECK(!util::certificates_end("-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n"));
}
