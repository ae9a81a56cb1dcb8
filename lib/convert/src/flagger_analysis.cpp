#include <algorithm>

#include <kubist/util/text.hpp>

#include "flagger.hpp"
#include "istio.hpp"

namespace kubist::convert {

using util::cat;

namespace {

constexpr int k_full = 100;

/// stepWeight up to maxWeight, or the list of stepWeights; 100 is added by kubist.
std::vector<int> read_step_weights(const Fields& analysis) {
  std::vector<int> weights;
  const auto add = [&](std::int64_t weight) {
    if (weight > 0 && weight < k_full && (weights.empty() || weight > weights.back())) {
      weights.push_back(static_cast<int>(weight));
    }
  };
  const Json list = analysis.any("stepWeights");
  const auto most =
      std::clamp<std::int64_t>(analysis.number("maxWeight").value_or(k_full), 1, k_full);
  const auto step = analysis.number("stepWeight").value_or(0);
  if (list.is_array() && !list.empty()) {
    for (const Json& weight : list) {
      add(weight.is_number_integer() ? weight.get<std::int64_t>() : 0);
    }
    if (weights.size() + (list.back() == k_full ? 1 : 0) != list.size()) {
      analysis.lost("stepWeights", "weights rise, from 1 to 100: the others are left out");
    }
  } else if (step > 0) {
    for (auto weight = step; weight < most; weight += step) {
      add(weight);
    }
    add(most);
  }
  return weights;
}

void read_affinity(const Fields& affinity, Release& release) {
  if (const std::string cookie = affinity.text("cookieName"); !cookie.empty()) {
    release.spec["sessionAffinity"] = {{"cookieName", cookie}};
    if (const auto age = affinity.number("maxAge")) {
      release.spec["sessionAffinity"]["maxAge"] = *age;
    }
  }
}

/// What a Project has instead of an alert.
std::string receiver_of(const Fields& alert, Inputs& inputs, const Release& release) {
  const Fields ref = alert.at("providerRef");
  const std::string name = alert.text("name"), provider = ref.text("name");
  const std::string severity = alert.text("severity", "info");
  Source* found =
      inputs.use(k_flagger, "AlertProvider", ref.text("namespace", release.foreign_ns), provider);
  if (found == nullptr) {
    return cat("AlertProvider/", provider,
               " is not in the input: see spec.notifications of the "
               "Project");
  }
  found->take("/spec");
  const Fields spec = found->spec();
  const std::string type = spec.text("type");
  if (type != "slack" && type != "rocket") {
    return cat("spec.notifications of the Project has no type for ", type,
               ": type Webhook posts JSON");
  }
  const std::string secret = spec.at("secretRef").text("name");
  return cat("give spec.notifications of the Project {name: ", name, ", type: Slack, minLevel: ",
             severity == "error"  ? "ERROR"
             : severity == "warn" ? "WARNING"
                                  : "INFO",
             ", ",
             secret.empty() ? std::string("url: its spec.address")  // which has a password in it
                            : cat("urlSecretRef: {name: ", secret, ", key: address}"),
             '}');
}

/// The canary of an A/B test or a mirrored one gets requests before its first weight.
void read_copies(const Fields& analysis, Release& release, Analysis& read) {
  const std::vector<Fields> matches = analysis.list("match");
  if (const std::string condition = condition_of(matches); !condition.empty()) {
    release.spec["match"] = condition;
    read.copies = true;
  }
  if (analysis.flag("mirror")) {
    release.spec["mirror"] = {{"percent", analysis.number("mirrorWeight").value_or(k_full)}};
    read.copies = true;
  }
}

Analysis read_all(const Fields& analysis, const std::string& target, Inputs& inputs,
                  Release& release) {
  Analysis read;
  const std::string interval = analysis.duration("interval");
  release.spec["interval"] = interval.empty() ? "1m" : interval;
  read.threshold = std::max<std::int64_t>(analysis.number("threshold").value_or(1), 1);
  read.iterations = analysis.number("iterations").value_or(0);
  read_copies(analysis, release, read);
  read.weights = read_step_weights(analysis);
  if (read.iterations > 0) {
    read.weights.clear();
  }
  if (read.copies) {
    read.weights.insert(read.weights.begin(), 0);
  }
  read.metrics = read_metrics(analysis, target, inputs, release);
  read.lost = read.metrics.empty() && !analysis.list("metrics").empty();
  if (read.lost) {
    analysis.note("metrics", "none of them is left: a person approves each weight instead");
  }
  read.hooks = read_hooks(analysis, read.threshold - 1);
  read_affinity(analysis.at("sessionAffinity"), release);
  for (const char* ready : {"primaryReadyThreshold", "canaryReadyThreshold"}) {
    if (analysis.number(ready).value_or(k_full) != k_full) {
      analysis.lost(ready, "each weight after the first needs all pods of the canary, ready");
    }
  }
  for (const Fields& alert : analysis.list("alerts")) {
    alert.lost(receiver_of(alert, inputs, release));
  }
  return read;
}

void check_canary_counters(const Fields& given, const Analysis& analysis, Release& release) {
  const bool mesh = is_mesh_only(release);
  Json* metrics = release.spec.contains("metrics") ? &release.spec["metrics"] : nullptr;
  if (mesh && metrics != nullptr) {
    (*metrics)["provider"] = "Prometheus";
  } else if (mesh && !analysis.metrics.empty()) {
    given.note("metrics",
               "no gateway counts these requests: say in spec.metrics of the "
               "CanaryRelease where Prometheus is");
  }
}

}  // namespace

void read_analysis(const Fields& spec, const std::string& target, Inputs& inputs,
                   Release& release) {
  const Fields given = spec.at("analysis");
  const auto deadline = spec.number("progressDeadlineSeconds");
  if (const bool skipped = spec.flag("skipAnalysis"); skipped || !given) {
    if (given) {
      given.lost("it is left out, as skipAnalysis says");
    }
    add_policy(release, "BlueGreen", Json::object());
    set_hold_limit(release, deadline, 0);
    return;
  }
  const Analysis analysis = read_all(given, target, inputs, release);
  const auto interval = seconds_of(release.spec["interval"].get<std::string>());
  if (analysis.weights.empty()) {
    add_switch(given, analysis, release);
  } else {
    add_weights(given, analysis, release);
  }
  set_hold_limit(release, deadline,
                 interval * (analysis.threshold + std::max<std::int64_t>(analysis.iterations, 1)));
  check_canary_counters(given, analysis, release);
}

}  // namespace kubist::convert
