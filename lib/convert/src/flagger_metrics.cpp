#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "flagger.hpp"

namespace kubist::convert {

using util::cat;

namespace {

/// What fills in a query of Flagger's.
class QueryWords {
 public:
  QueryWords(std::string target, const Fields& metric)
      : m_target(std::move(target)), m_metric(&metric) {}

  /// The query with kubist's words; those that have none stay, with a warning.
  std::string fill(std::string_view query) const {
    std::string filled;
    for (std::size_t at = 0; at < query.size();) {
      const std::size_t begin = std::min(query.find("{{", at), query.size());
      const std::size_t end = query.find("}}", begin);
      filled += query.substr(at, begin - at);
      if (end == std::string_view::npos) {
        return filled + std::string(query.substr(begin));
      }
      at = end + 2;
      const bool primary = query.substr(at).starts_with(k_primary);
      const std::string word(util::trim(query.substr(begin + 2, end - begin - 2)));
      if (word == "target" && primary) {
        at += k_primary.size();
      }
      filled += value_of(word, primary);
    }
    return filled;
  }

 private:
  static constexpr std::string_view k_primary = "-primary";

  std::string value_of(const std::string& word, bool primary) const {
    if (word == "target") {
      return cat(m_target, primary ? "-{{stable}}" : "-{{canary}}");
    }
    if (word.starts_with("variables.")) {
      const Fields variables = m_metric->at("templateVariables");
      if (const std::string name = word.substr(word.find('.') + 1); variables.has(name)) {
        return variables.text(name);
      }
    }
    const bool same = word == "namespace" || word == "interval";
    if (!same && word != "service" && word != "name") {
      m_metric->note("name", cat("its query has {{ ", word, " }}: write the value"));
    }
    return cat("{{", word == "service" ? "destination" : word == "name" ? "release" : word, "}}");
  }

  std::string m_target;
  const Fields* m_metric;
};

/// The query of a MetricTemplate, and where it is asked; "" where it is not Prometheus's.
std::string read_template(const Fields& metric, Inputs& inputs, Release& release) {
  const Fields ref = metric.at("templateRef");
  const std::string name = ref.text("name");
  Source* found =
      inputs.use(k_flagger, "MetricTemplate", ref.text("namespace", release.foreign_ns), name);
  if (found == nullptr) {
    metric.lost("templateRef",
                cat("MetricTemplate/", name,
                    " is not in the input, so the metric is left out: add its file"));
    return "";
  }
  const Fields spec = found->spec();
  const Fields provider = spec.at("provider");
  if (const std::string type = provider.text("type", "prometheus"); type != "prometheus") {
    provider.note("type", cat(type,
                              " is not asked, so the metric is left out: see provider.web "
                              "of an analysis in Steps, a job, or a custom policy"));
    found->take("/spec");
    return "";
  }
  set_prometheus(release, provider, "address");
  return spec.text("query");
}

Json read_metric(const Fields& given, const std::string& target, Inputs& inputs, Release& release) {
  const std::string name = given.text("name");
  Json metric{{"name", name}};
  const std::string query =
      given.at("templateRef") ? read_template(given, inputs, release) : given.text("query");
  if (!query.empty()) {
    metric["query"] = QueryWords(target, given).fill(util::trim(query));
  } else if (name != "request-success-rate" && name != "request-duration") {
    if (given.has("templateRef")) {
      given.drop();
    } else {
      given.lost_by("name", "it has no query, so the metric is left out");
    }
    return {};
  }
  const std::string interval = given.duration("interval");
  if (const auto own = data::string_at(release.spec, {"interval"});
      !interval.empty() && interval != own) {
    given.lost("interval", cat("a window is as long as the release's interval, ", own));
  }
  const Json range = given.any("thresholdRange");
  if (!range.is_object() || range.empty()) {
    given.lost_by("name", "it has no thresholdRange, so the metric is left out");
    return {};
  }
  metric["thresholdRange"] = range;
  return metric;
}

}  // namespace

Json read_metrics(const Fields& analysis, const std::string& target, Inputs& inputs,
                  Release& release) {
  Json metrics = Json::array();
  for (const Fields& given : analysis.list("metrics")) {
    if (Json metric = read_metric(given, target, inputs, release); !metric.is_null()) {
      metrics.push_back(std::move(metric));
    }
  }
  return metrics;
}

}  // namespace kubist::convert
