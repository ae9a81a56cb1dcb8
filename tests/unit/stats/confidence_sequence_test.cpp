#include <cmath>

#include <doctest/doctest.h>

#include <kubist/stats/confidence_sequence.hpp>

using namespace kubist::stats;

TEST_CASE("confidence sequence: of two groups apart, interval and p-value say the same") {
  for (const double difference : {0.5, 1.0, 1.4, 1.5, 1.6, 2.0, 4.0}) {
    const MeanSequence a{400, 10 + difference, 400 * 16.0};
    const MeanSequence b{100, 10, 100 * 25.0};
    const auto half = separate_half_width(a, b, 0.05);
    REQUIRE(half);
    CHECK((difference > *half) == (separate_p_value(a, b, 0.05) < 0.05));
    // No narrower than that of each alone.
    CHECK(*half > *a.half_width(0.05));
    CHECK(*half > *b.half_width(0.05));
  }
  const MeanSequence a{400, 10, 400 * 16.0};
  const auto half = separate_half_width(a, a, 0.05);
  const MeanSequence shifted{400, 10 + *half, 400 * 16.0};
  CHECK(separate_p_value(a, shifted, 0.05) == doctest::Approx(0.05).epsilon(1e-9));
  CHECK(separate_p_value(a, a, 0.05) == 1);
}

TEST_CASE("confidence sequence: too few values say nothing") {
  const MeanSequence few{19, 1, 19};
  const MeanSequence many{100, 2, 100};
  CHECK_FALSE(separate_half_width(few, many, 0.05));
  CHECK(separate_p_value(few, many, 0.05) == 1);
}
