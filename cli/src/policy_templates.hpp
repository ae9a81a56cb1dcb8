#pragma once
#include <string_view>

namespace kubist::cli {

/// What 'policy init' writes: NAME and KIND stand for those given, FIELD for the map in the kind's
/// spec in which the policy sets the team.
struct PolicyTemplate {
  const char* definition;
  const char* cases;
};

/// For a CanaryRelease or an Experiment it takes a decision, for other kinds it sets a label.
PolicyTemplate policy_template(std::string_view kind);

}  // namespace kubist::cli
