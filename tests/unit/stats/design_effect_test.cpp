#include <kubist/stats/confidence_sequence.hpp>
#include <kubist/stats/design_effect.hpp>

#include "oracle.hpp"

using namespace kubist::stats;
using nlohmann::json;

TEST_CASE("design_effect: the intraclass correlation agrees with mpmath") {
  for (const json& entry : read_oracle("e_process.json")["designEffects"]) {
    Overdispersion windows;
    for (const json& window : entry["windows"]) {
      windows.add({window[0], window[1]});
      windows.add({});  // no requests: no window
    }
    REQUIRE(windows.correlation());
    CHECK(agrees(*windows.correlation(), entry["correlation"]));
  }
}

TEST_CASE("design_effect: nothing is said from few windows, 0 without failures") {
  Overdispersion windows;
  for (int i = 0; i < 29; ++i) {
    windows.add({100, 0});
  }
  CHECK_FALSE(windows.correlation());
  windows.add({100, 0});
  CHECK(windows.correlation() == 0);
}

TEST_CASE("design_effect: counts shrink by 1 + (n - 1) rho, never grow") {
  CHECK(deflate({101, 10}, 0.01) == Counts{50.5, 5});
  CHECK(deflate({1, 1}, 1) == Counts{1, 1});
  CHECK(deflate({0.5, 0}, 0.5) == Counts{0.5, 0});
}

TEST_CASE("confidence_sequence: widths agree with mpmath, none before 20 values") {
  for (const json& entry : read_oracle("e_process.json")["confidenceSequences"]) {
    MeanSequence sequence;
    CHECK_FALSE(sequence.half_width(0.05));
    for (const json& value : entry["values"]) {
      CHECK(sequence.half_width(0.05).has_value() == (sequence.n >= 20));
      sequence.add(value);
    }
    CHECK(agrees(sequence.mean, entry["mean"]));
    CHECK(agrees(sequence.half_width(entry["alpha"], entry["bestAt"]).value(), entry["halfWidth"]));
  }
}

TEST_CASE("confidence_sequence: the p-value is the level at which the interval meets 0") {
  MeanSequence sequence{.n = 400, .mean = 0, .scatter = 900};
  CHECK(sequence.p_value(0.05, 100) == 1);
  sequence.mean = *sequence.half_width(0.05, 100);
  CHECK(sequence.p_value(0.05, 100) == doctest::Approx(0.05));
  sequence.mean *= -1.1;
  CHECK(sequence.p_value(0.05, 100) < 0.05);
  sequence.n = 19;
  CHECK(sequence.p_value(0.05, 100) == 1);
}
