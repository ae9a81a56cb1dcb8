#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "release.hpp"
#include "source.hpp"

namespace kubist::convert {

inline constexpr std::string_view k_flagger = "flagger.app";

/// What a Canary says, with the MetricTemplates, AlertProviders and the Deployment that it names.
void read_flagger(Source& canary, Inputs& inputs, Release& release);

// Parts of it, each in its own file.

/// spec.service: ports, hosts, gateways and the only rule of the route.
void read_service(const Fields& service, Release& release);

/// What Flagger calls by the way, by its type and place in the list.
struct Hook {
  std::string type;
  Json step;  ///< as a step of Steps
  Fields given;
};
/// Those of analysis.webhooks that have a place in a release. `failures`: how many may fail.
std::vector<Hook> read_hooks(const Fields& analysis, std::int64_t failures);

/// analysis.metrics as those of the policy Metric.
Json read_metrics(const Fields& analysis, const std::string& target, Inputs& inputs,
                  Release& release);

/// spec.analysis, in the words of a release.
struct Analysis {
  std::int64_t threshold = 1;
  std::int64_t iterations = 0;
  std::vector<int> weights;
  std::vector<Hook> hooks;
  Json metrics;
  bool lost = false;    ///< it has metrics, but none is left
  bool copies = false;  ///< the canary gets requests at 0 %: copies, or those that match

  bool has(std::string_view type) const {
    return std::any_of(hooks.begin(), hooks.end(),
                       [&](const Hook& hook) { return hook.type == type; });
  }
  /// A call that is not a person's approval.
  bool calls() const {
    return std::any_of(hooks.begin(), hooks.end(),
                       [](const Hook& hook) { return !hook.step.is_null(); });
  }
};

/// All the traffic at once; the canary is judged there, for as long as Flagger judges it beside the
/// primary.
void add_switch(const Fields& given, const Analysis& analysis, Release& release);
/// Weights with what judges and calls at them.
void add_weights(const Fields& given, const Analysis& analysis, Release& release);

/// The policies, weights and times of spec.analysis.
void read_analysis(const Fields& spec, const std::string& target, Inputs& inputs, Release& release);

}  // namespace kubist::convert
