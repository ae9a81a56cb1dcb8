#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "argo.hpp"

namespace kubist::convert {

using util::cat;

/// What an analysis measures, of all of its templates.
struct Analyses::Read {
  struct Metric {
    Json metric;  ///< of an analysis of Steps
    std::int64_t in_a_row = 0;
    bool job = false;
  };
  std::vector<Metric> metrics;
  std::vector<std::string> dry;
  std::string delay;
};

namespace {

constexpr int k_depth = 8;

bool is_dry(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return pattern == name || pattern == ".*";
  });
}

void read_dry_run(const Fields& from, std::vector<std::string>& dry) {
  for (const Fields& one : from.list("dryRun")) {
    dry.push_back(one.text("metricName"));
  }
}

/// A number that may be an argument.
std::optional<std::int64_t> number_of(const Fields& metric, std::string_view field,
                                      const std::map<std::string, std::string>& args) {
  std::string text = metric.text(field);
  fill_args(text, args);
  const auto read = util::parse_int(text);
  return read ? std::optional(std::clamp<std::int64_t>(*read, -k_largest, k_largest))
              : std::nullopt;
}

}  // namespace

std::string Analyses::value_of(const Fields& arg) const {
  if (arg.has("value")) {
    return arg.text("value");
  }
  const Fields from = arg.at("valueFrom");
  if (const std::string hash = from.text("podTemplateHashValue"); !hash.empty()) {
    from.lost("podTemplateHashValue",
              "it is the version here: compare it with the label version of the pods");
    return hash == "Stable" ? "{{stable}}" : "{{canary}}";
  }
  const Fields field = from.at("fieldRef");
  std::string pointer = cat('/', util::replace_all(field.text("fieldPath"), ".", "/"));
  const std::size_t bracket = pointer.find("['");
  if (bracket != std::string::npos && pointer.ends_with("']")) {  // metadata.labels['app']
    const std::string path = field.text("fieldPath");
    const std::size_t begin = path.find("['");
    pointer = pointer.substr(0, bracket);
    data::append_token(pointer, path.substr(begin + 2, path.size() - begin - 4));
  }
  const Json* found = field ? data::find(*m_rollout, pointer) : nullptr;
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

void Analyses::add_args(const Fields& from, Args& args) const {
  for (const Fields& arg : from.list("args")) {
    const std::string name = arg.text("name");
    const std::string value = value_of(arg);
    if (!value.empty()) {
      args.emplace(name, value);  // what was given before counts
    }
  }
}

void Analyses::keep_interval(const Fields& metric, const Args& args) {
  std::string text = metric.text("interval");
  fill_args(text, args);
  const std::string interval = duration_text(text);
  if (interval.empty()) {
    return;
  }
  Json& spec = m_release->spec;
  if (!spec.contains("interval")) {
    spec["interval"] = interval;
  } else if (spec["interval"] != interval) {
    metric.lost("interval", cat("a window is as long as the release's interval, ",
                                spec["interval"].get<std::string>()));
  }
}

void Analyses::read_metric(const Fields& given, const Args& args, Read& read) {
  Read::Metric metric;
  metric.metric = {{"name", given.text("name")}};
  Json provider = provider_of(given, args, *m_release);
  if (provider.is_null()) {
    given.drop();
    return;
  }
  metric.job = provider.contains("job");
  metric.metric["provider"] = std::move(provider);
  if (metric.job) {
    read.metrics.push_back(std::move(metric));
    return;
  }
  for (const char* field : {"successCondition", "failureCondition"}) {
    std::string text = given.text(field), why;
    fill_args(text, args);
    if (text.empty()) {
      continue;
    }
    metric.metric[field] = condition_text(text, why);
    if (!why.empty()) {
      given.lost_by(field, cat(why, ", so the metric is left out"));
      return;
    }
  }
  if (!metric.metric.contains("successCondition") && !metric.metric.contains("failureCondition")) {
    given.lost_by("name", "it has no condition and judges nothing, so the metric is left out");
    return;
  }
  keep_interval(given, args);
  for (const char* field : {"count", "failureLimit", "inconclusiveLimit"}) {
    const auto number = number_of(given, field, args);
    if (number && *number < 1 && field == std::string_view("count")) {
      continue;  // Argo's default
    }
    if (number) {
      metric.metric[field] = *number;
    }
  }
  metric.in_a_row = number_of(given, "consecutiveSuccessLimit", args).value_or(0);
  if (const std::string delay = given.duration("initialDelay");
      seconds_of(delay) > seconds_of(read.delay)) {
    read.delay = delay;
  }
  read.metrics.push_back(std::move(metric));
}

void Analyses::read_template(const Fields& reference, const Args& given, Read& read, int depth) {
  const std::string kind =
      reference.flag("clusterScope") ? "ClusterAnalysisTemplate" : "AnalysisTemplate";
  const std::string name = reference.text("templateName");
  Source* found = m_inputs->use(k_argo, kind, m_release->foreign_ns, name);
  if (found == nullptr || depth > k_depth) {
    reference.lost("templateName", cat(kind, '/', name, " is not in the input: add its file"));
    return;
  }
  const Fields spec = found->spec();
  Args args = given;
  add_args(spec, args);
  read_dry_run(spec, read.dry);
  for (const Fields& metric : spec.list("metrics")) {
    read_metric(metric, args, read);
  }
  for (const Fields& nested : spec.list("templates")) {
    read_template(nested, args, read, depth + 1);
  }
}

Analyses::Read Analyses::read(const Fields& analysis) {
  Read read;
  Args args;
  add_args(analysis, args);
  read_dry_run(analysis, read.dry);
  for (const Fields& reference : analysis.list("templates")) {
    read_template(reference, args, read, 0);
  }
  return read;
}

Json Analyses::step(const Fields& analysis, std::int64_t& seconds) {
  const Read all = read(analysis);
  Json step{{"metrics", Json::array()}};
  const std::string interval(data::string_at(m_release->spec, {"interval"}, "30s"));
  std::int64_t windows = 1;
  for (const Read::Metric& one : all.metrics) {
    Json metric = one.metric;
    const auto count = std::max(data::int_at(metric, {"count"}, 1), one.in_a_row);
    windows = std::max(windows, count + data::int_at(metric, {"failureLimit"}));
    if (one.in_a_row > 0) {
      metric["count"] = count;
    }
    if (!one.job && is_dry(all.dry, metric["name"])) {
      step["dryRun"].push_back({{"metricName", metric["name"]}});
    }
    step["metrics"].push_back(std::move(metric));
  }
  if (step["metrics"].empty()) {
    return {};
  }
  if (!all.delay.empty()) {
    step["initialDelay"] = all.delay;
  }
  seconds = seconds_of(all.delay) + windows * seconds_of(interval);
  return step;
}

Analyses::Judges Analyses::judges(const Fields& analysis) {
  const Read all = read(analysis);
  Judges judges;
  judges.lost = all.metrics.empty();
  if (!all.delay.empty()) {
    analysis.note("templates",
                  "initialDelay has no counterpart beside all steps, so it is left out");
  }
  for (const Read::Metric& one : all.metrics) {
    const Json range = range_of(std::string(data::string_at(one.metric, {"successCondition"})),
                                std::string(data::string_at(one.metric, {"failureCondition"})));
    const std::string query(data::string_at(one.metric, {"provider", "prometheus", "query"}));
    const auto limit = data::int_at(one.metric, {"failureLimit"});
    if (is_dry(all.dry, one.metric["name"])) {
      analysis.note("templates", cat("metric ", one.metric["name"].get<std::string>(),
                                     " is a dry run, which only a step can be, so it is left out"));
      continue;
    }
    if (range.is_null() || query.empty() || limit < 0) {
      judges.rest["metrics"].push_back(one.metric);
      continue;
    }
    Json parameters{
        {"metrics", {{{"name", one.metric["name"]}, {"query", query}, {"thresholdRange", range}}}},
        {"failureLimit", limit}};
    if (one.in_a_row > 1) {
      parameters["count"] = one.in_a_row;
    }
    for (const char* field : {"count", "inconclusiveLimit"}) {
      if (data::int_at(one.metric, {field}) > 1) {
        analysis.note("templates", cat(field, " of metric ", one.metric["name"].get<std::string>(),
                                       " has no counterpart beside all steps, so it is left out"));
      }
    }
    judges.policies.push_back(std::move(parameters));
  }
  return judges;
}

}  // namespace kubist::convert
