#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "release.hpp"
#include "source.hpp"

namespace kubist::convert {

inline constexpr std::string_view k_argo = "argoproj.io";

/// What a Rollout says, with the templates, Services and objects of Istio that it names.
void read_argo(Source& rollout, Inputs& inputs, Release& release);

// Parts of it, each in its own file.

/// The Deployment that a Rollout is, or that its workloadRef names.
void read_workload(const Fields& spec, const Json& rollout, Inputs& inputs, Release& release);

/// The ports of the Destination, from the first of these Services that is in the input.
/// `strategy` names them by these fields.
void read_services(const Fields& strategy, const std::vector<std::string>& fields, Inputs& inputs,
                   Release& release);
/// strategy.canary.trafficRouting: the routes of its VirtualServices, and the DestinationRule.
void read_routing(const Fields& canary, Inputs& inputs, Release& release);

/// Reads analyses: {templates, args, dryRun} with the templates that are in the input.
class Analyses {
 public:
  Analyses(const Json& rollout, Inputs& inputs, Release& release)
      : m_rollout(&rollout), m_inputs(&inputs), m_release(&release) {}

  /// The step `analysis` of Steps; null where no metric is left. `seconds`: how long it takes.
  Json step(const Fields& analysis, std::int64_t& seconds);
  /// What judges all the time.
  struct Judges {
    std::vector<Json> policies;  ///< parameters of Metric
    Json rest;                   ///< an analysis for each weight, of what has no range; null: none
    bool lost = false;           ///< none of its metrics has a counterpart
  };
  Judges judges(const Fields& analysis);

 private:
  using Args = std::map<std::string, std::string>;
  struct Read;
  Read read(const Fields& analysis);
  void read_template(const Fields& reference, const Args& given, Read& read, int depth);
  void add_args(const Fields& from, Args& args) const;
  std::string value_of(const Fields& arg) const;
  void read_metric(const Fields& metric, const Args& args, Read& read);
  void keep_interval(const Fields& metric, const Args& args);
  const Json* m_rollout;
  Inputs* m_inputs;
  Release* m_release;
};

/// Replaces {{args.NAME}}; what has no value stays, and is false.
bool fill_args(std::string& text, const std::map<std::string, std::string>& args);

/// The provider of a metric in kubist's words; null, with a warning, where it has none.
Json provider_of(const Fields& metric, const std::map<std::string, std::string>& args,
                 Release& release);

/// A condition of Argo's in kubist's words; "" where it has calls or texts, with the reason.
std::string condition_text(const std::string& condition, std::string& why);
/// The range in which conditions hold: {min, max}; null where they are no bounds of the result.
Json range_of(const std::string& success, const std::string& failure);

/// strategy.canary.steps as the policies of a release.
void read_steps(const Fields& canary, Analyses& analyses, std::optional<std::int64_t> deadline,
                Release& release);

}  // namespace kubist::convert
