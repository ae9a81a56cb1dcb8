#include <algorithm>
#include <cmath>
#include <vector>

#include <kubist/stats/distributions.hpp>
#include <kubist/stats/posterior.hpp>
#include <kubist/stats/tests.hpp>

#include "oracle.hpp"

using namespace kubist::stats;
using nlohmann::json;

TEST_CASE("distributions: normal, t and beta agree with SciPy") {
  const json oracle = read_oracle("distributions.json");
  for (const json& entry : oracle["normal"]["values"]) {
    CHECK(agrees(normal_tail(-entry["z"].get<double>()), entry["cdf"]));
    CHECK(agrees(normal_tail(entry["z"]), entry["tail"]));
  }
  for (const json& entry : oracle["t"]["values"]) {
    CHECK(agrees(t_cdf(entry["t"], entry["freedom"]), entry["cdf"]));
    CHECK(agrees(t_tail(entry["t"], entry["freedom"]), entry["tail"]));
  }
  for (const json& entry : oracle["t"]["quantiles"]) {
    CHECK(agrees(t_quantile(entry["p"], entry["freedom"]), entry["t"]));
  }
  for (const json& entry : oracle["beta"]["values"]) {
    CAPTURE(entry.dump());
    CHECK(agrees(beta_cdf(entry["x"], entry["a"], entry["b"]), entry["cdf"]));
    CHECK(agrees(beta_tail(entry["x"], entry["a"], entry["b"]), entry["tail"]));
  }
  for (const json& entry : oracle["beta"]["quantiles"]) {
    CAPTURE(entry.dump());
    CHECK(agrees(beta_quantile(entry["p"], entry["a"], entry["b"]), entry["x"]));
  }
}

TEST_CASE("distributions: binomial and the exact bound agree with SciPy") {
  const json oracle = read_oracle("distributions.json");
  for (const json& entry : oracle["binomial"]["values"]) {
    CHECK(agrees(binomial_cdf(entry["k"], entry["n"], entry["p"]), entry["cdf"]));
  }
  for (const json& entry : oracle["binomial"]["bounds"]) {
    CHECK(agrees(rate_upper_bound(entry["k"], entry["n"], entry["level"]), entry["bound"]));
  }
  CHECK(rate_upper_bound(0, 0, 0.99) == 1);
}

TEST_CASE("distributions: counts beyond all traffic, as a status may claim, take no longer") {
  CHECK(rate_upper_bound(5e29, 1e30, 0.99) == doctest::Approx(0.5));
  CHECK(beta_quantile(0.5, 1e300, 3e300) == doctest::Approx(0.25));
  CHECK(beta_cdf(0.4, 1e24, 1e24) < 1e-9);
  CHECK(beta_tail(0.4, 1e24, 1e24) == doctest::Approx(1));
}

TEST_CASE("distributions: what is outside of a domain gives NaN and nothing throws") {
  for (const double value : {t_cdf(1, 0), t_quantile(-0.1, 3), t_tail(1, -1), beta_cdf(0.5, 0, 1),
                             beta_tail(2, 1, 1), beta_quantile(0.5, 1, -1)}) {
    CHECK(std::isnan(value));
  }
}

TEST_CASE("tests: the z-test of two proportions agrees with SciPy's chi-squared test") {
  for (const json& entry : read_oracle("distributions.json")["zTests"]) {
    const auto counts = entry["counts"].get<std::vector<double>>();
    const TestResult result = proportions_z_test({counts[0], counts[1]}, {counts[2], counts[3]});
    CHECK(agrees(result.statistic, entry["z"]));
    CHECK(agrees(result.two_sided, entry["twoSided"]));
    CHECK(agrees(result.greater, entry["greater"]));
  }
  CHECK(proportions_z_test({0, 0}, {100, 3}).greater == 1);
  CHECK(proportions_z_test({10, 0}, {100, 0}).greater == 1);
}

TEST_CASE("tests: Mann-Whitney (asymptotic) and Welch's t agree with SciPy") {
  for (const json& entry : read_oracle("distributions.json")["samples"]) {
    auto first = entry["first"].get<std::vector<double>>();
    auto second = entry["second"].get<std::vector<double>>();
    const json& welch = entry["welch"];
    const WelchResult t = welch_t_test(moments(first), moments(second));
    CHECK(agrees(t.statistic, welch["t"]));
    CHECK(agrees(t.freedom, welch["freedom"]));
    CHECK(agrees(t.two_sided, welch["twoSided"]));
    CHECK(agrees(t.greater, welch["greater"]));
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    const json& ranks = entry["mannWhitney"];
    const TestResult u = mann_whitney_sorted(first, second);
    CHECK(agrees(u.statistic, ranks["u"]));
    CHECK(agrees(u.two_sided, ranks["twoSided"]));
    CHECK(agrees(u.greater, ranks["greater"]));
  }
  const double same[] = {1, 1, 1};
  CHECK(mann_whitney_sorted(same, same).two_sided == 1);
  CHECK(mann_whitney_sorted({}, same).greater == 1);
  CHECK(welch_t_test(moments(same), moments(same)).two_sided == 1);
}

TEST_CASE("posterior: P(canary worse than stable) agrees with the closed form, in both tails") {
  for (const json& entry : read_oracle("distributions.json")["posteriors"]) {
    CAPTURE(entry.dump());
    const auto counts = entry["counts"].get<std::vector<double>>();
    const Counts canary{counts[0], counts[1]};
    const Counts stable{counts[2], counts[3]};
    CHECK(agrees(posterior_worse(canary, stable, entry["prior"]), entry["worse"]));
    CHECK(agrees(posterior_worse(stable, canary, entry["prior"]), entry["better"]));
  }
}
