#include <limits>

#include <kubist/stats/decision_size.hpp>
#include <kubist/stats/e_process.hpp>

#include "oracle.hpp"

using namespace kubist::stats;
using nlohmann::json;

namespace {

ETest test_of(const json& entry) {
  const Margin margin{entry["slope"], entry["offset"]};
  return entry["side"] == "above" ? worse_than(margin)
                                  : better_than(margin, entry["allowed"].get<double>());
}

Window window_of(const json& counts) { return {{counts[0], counts[1]}, {counts[2], counts[3]}}; }

// ln e is a sum of terms of this size, of which a double keeps 16 digits.
double scale_of(const Window& window) { return 1 + 1e-6 * (window.canary.n + window.stable.n); }

}  // namespace

TEST_CASE("e_process: the projection agrees with mpmath") {
  for (const json& entry : read_oracle("e_process.json")["projections"]) {
    CAPTURE(entry.dump());
    const Rates null = project({entry["canary"], entry["stable"]}, entry["share"],
                               {entry["slope"], entry["offset"]});
    CHECK(agrees(null.stable, entry["projectedStable"]));
    CHECK(agrees(null.canary, entry["projectedCanary"]));
  }
}

TEST_CASE("e_process: e-values and processes agree with mpmath, up to 10^9 requests a window") {
  const json cases = read_oracle("e_process.json")["processes"];
  CHECK(cases.size() > 100);
  for (const json& entry : cases) {
    CAPTURE(entry.dump());
    const ETest test = test_of(entry);
    Counts past{entry["past"][0], entry["past"][1]};
    EProcess process;
    double scale = 0;
    for (std::size_t t = 0; t < entry["windows"].size(); ++t) {
      const Window window = window_of(entry["windows"][t]);
      scale += scale_of(window);
      const LogTerms terms = log_e_values(test, window, past);
      for (std::size_t j = 0; j < test.alternatives; ++j) {
        CAPTURE(j);
        CHECK(agrees(terms[j], entry["logTerms"][t][j], scale_of(window)));
      }
      process.add(terms);
      past += window.stable;
      CHECK(agrees(process.log_value(test.alternatives), entry["logE"][t], scale));
    }
  }
}

TEST_CASE("e_process: restarts, clusters and metrics agree with mpmath") {
  for (const json& entry : read_oracle("e_process.json")["rollouts"]) {
    const ETest test = test_of(entry);
    std::vector<RestartedEProcess> clusters(entry["past"].size());
    std::vector<Counts> past;
    for (const json& counts : entry["past"]) {
      past.push_back({counts[0], counts[1]});
    }
    for (const json& row : entry["rows"]) {
      for (std::size_t c = 0; c < clusters.size(); ++c) {
        const Window window = window_of(row[1][c]);
        clusters[c].begin(row[0]);
        clusters[c].add(log_e_values(test, window, past[c]));
        past[c] += window.stable;
      }
    }
    const double joint = log_joint_value(clusters, test.alternatives, entry["planned"]);
    CHECK(agrees(joint, entry["logE"]));
    const double weight = entry["weight"];
    const double logs[] = {joint, entry["otherLogE"]};
    const double weights[] = {weight, 1 - weight};
    CHECK(agrees(log_weighted_sum(logs, weights), entry["weighted"]));
  }
}

TEST_CASE("e_process: a window with an empty arm says nothing; the bound alone needs no stable") {
  const Counts past{1000, 10};
  for (const Window& window : {Window{{0, 0}, {500, 5}}, Window{{50, 50}, {0, 0}}, Window{}}) {
    CHECK(log_e_values(worse_than({1, 0.005}), window, past) == LogTerms{});
    CHECK(log_e_values(better_than({1, 0}, 0.01), window, past) == LogTerms{});
  }
  EProcess process;
  process.add(log_e_values(worse_than({0, 0.01}), {{50, 50}, {0, 0}}, {}));
  CHECK(process.log_value(8) > 100);
}

TEST_CASE("e_process: nothing overflows, and the p-value stays in range") {
  const Counts past{1e9, 1e7};
  EProcess process;
  for (int i = 0; i < 1000; ++i) {
    process.add(log_e_values(worse_than({1, 0}), {{1e9, 9e8}, {1e9, 1e7}}, past));
  }
  CHECK(std::isfinite(process.log_value(8)));
  CHECK(always_valid_p(process.log_value(8)) == 0);
  CHECK(always_valid_p(-std::numeric_limits<double>::infinity()) == 1);
  RestartedEProcess restarted;
  restarted.begin(0);
  restarted.processes[0].log_products.fill(-1e12);
  // The steps to come keep their share: e-processes of past steps cannot go below it.
  CHECK(agrees(log_joint_value(std::span(&restarted, 1), 8, 5), std::log(0.8)));
}

TEST_CASE("e_process: a margin of all and more leaves nothing to disprove") {
  CHECK(log_e_values(better_than({1, 0}, 1.2), {{100, 0}, {100, 0}}, {}) == LogTerms{});
  CHECK(log_e_values(worse_than({1, 0.999}), {{100, 100}, {100, 0}}, {}) == LogTerms{});
}

TEST_CASE("decision_size: the requests needed agree with trying every number") {
  for (const json& entry : read_oracle("e_process.json")["sizes"]) {
    CAPTURE(entry.dump());
    const std::optional<double> needed =
        canary_requests_needed(test_of(entry), {entry["canary"], entry["stable"], entry["share"]},
                               entry["threshold"], entry["quantile"]);
    CHECK(needed == entry["requests"].get<double>());
  }
  // Equal rates never show a difference.
  CHECK_FALSE(canary_requests_needed(worse_than({1, 0.005}), {0.01, 0.01, 0.1}, 20, 0.5));
}
