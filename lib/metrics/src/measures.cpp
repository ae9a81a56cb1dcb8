#include <algorithm>
#include <array>
#include <cctype>

#include <kubist/metrics/promql.hpp>
#include <kubist/util/text.hpp>

#include "promql_parts.hpp"

// Measures by name, and the queries that built-in templates are.
namespace kubist::metrics {

using util::cat;
using What = Measure::What;

namespace {

constexpr std::array<std::string_view, 9> k_methods{"get",   "head",    "post",    "put",  "delete",
                                                    "patch", "options", "connect", "trace"};

struct PlainName {
  std::string_view name;
  What what;
};
constexpr std::array k_plain_names{
    PlainName{"requests", What::requests},
    PlainName{"errors", What::errors},
    PlainName{"latency", What::duration},
    PlainName{"response_code", What::requests},
    PlainName{"response_duration", What::duration},
    PlainName{"upstream_rq_total", What::requests},
    PlainName{"internal_upstream_rq_total", What::requests},
    PlainName{"external_upstream_rq_total", What::requests},
    PlainName{"cpu", What::cpu},
    PlainName{"memory", What::memory},
    PlainName{"replicas", What::replicas},
    PlainName{"updated_replicas", What::updated_replicas},
    PlainName{"available_replicas", What::available_replicas},
    PlainName{"unavailable_replicas", What::unavailable_replicas},
    PlainName{"availability", What::availability},
};

struct Prefix {
  std::string_view text;
  What what;
  bool methods;  ///< a method may follow
};
constexpr std::array k_prefixes{
    Prefix{"requests_", What::requests, true},
    Prefix{"response_code_", What::requests, true},
    Prefix{"response_duration_", What::duration, true},
    Prefix{"internal_upstream_rq_", What::requests, false},
    Prefix{"external_upstream_rq_", What::requests, false},
    Prefix{"upstream_rq_", What::requests, false},
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// "200" or "2xx".
bool is_code(std::string_view text) {
  return text.size() == 3 && text[0] >= '1' && text[0] <= '5' &&
         ((is_digit(text[1]) && is_digit(text[2])) || text.substr(1) == "xx");
}

/// "CODE", "METHOD", or "METHOD_CODE".
bool read_suffix(std::string_view text, bool methods, Measure& measure) {
  if (is_code(text)) {
    measure.code = text;
    return true;
  }
  const auto end = text.find('_');
  const std::string_view method = text.substr(0, end);
  if (!methods || std::find(k_methods.begin(), k_methods.end(), method) == k_methods.end()) {
    return false;
  }
  measure.method = method;
  if (end == std::string_view::npos) {
    return true;
  }
  measure.code = text.substr(end + 1);
  return is_code(measure.code);
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// Wraps counters as the window asks.
std::string per_window(const std::string& selector, std::chrono::seconds window) {
  return window.count() == 0 ? selector : cat("rate(", selector, '[', window.count(), "s])");
}

/// The sum of the parts, 0 for those that never happened; nothing where there was no request at
/// all, so that silence is not read as success.
std::string sum_of(const std::vector<std::string>& parts, const std::string& requests) {
  std::vector<std::string> sums;
  for (const std::string& part : parts) {
    sums.push_back(cat("(sum(", part, ") or 0 * sum(", requests, "))"));
  }
  return util::join(sums, " + ");
}

std::string istio_measure(const Measure& measure, const Subject& subject,
                          const std::string& version, const std::string& reporter,
                          std::chrono::seconds window) {
  const auto own = subject.hosts.find(version);
  const auto workload = subject.workloads.find(version);
  std::string base = cat("reporter=", promql_quote(reporter), ",destination_service=",
                         promql_quote(own == subject.hosts.end() ? subject.host : own->second));
  if (workload != subject.workloads.end()) {
    base += cat(",destination_workload=", promql_quote(workload->second));
  } else if (own == subject.hosts.end()) {
    base += cat(",destination_version=", promql_quote(version));
  }
  if (!measure.method.empty()) {
    base += cat(",request_method=", promql_quote(upper(measure.method)));
  }
  std::string coded = base;
  if (!measure.code.empty()) {
    coded += cat(",response_code=~", promql_quote(util::replace_all(measure.code, "x", ".")));
  }
  const auto counters = [&](std::string_view metric, const std::string& labels) {
    return per_window(cat(metric, '{', labels, '}'), window);
  };
  if (measure.what == What::duration) {
    return cat("sum by (le) (", counters("istio_request_duration_milliseconds_bucket", coded), ')');
  }
  const std::string requests = counters("istio_requests_total", base + R"(,response_code!="0")");
  if (measure.what == What::errors) {
    return sum_of(
        {counters("istio_requests_total",
                  base + R"(,response_code=~"5..",response_flags!~".*DC.*")"),
         counters("istio_requests_total", base + R"(,response_code!~"5..",)"
                                                 R"(grpc_response_status=~"2|4|12|13|14|15")")},
        requests);
  }
  return measure.code.empty() ? cat("sum(", requests, ')')
                              : sum_of({counters("istio_requests_total", coded)}, requests);
}

std::string envoy_part(const Measure& measure, const EnvoyStyle& style, const std::string& clusters,
                       std::chrono::seconds window) {
  const std::string base = cat(style.cluster, "=~", promql_quote(clusters));
  if (measure.what == What::duration) {
    return cat("sum by (le) (",
               per_window(cat("envoy_cluster_upstream_rq_time_bucket{", base, '}'), window), ')');
  }
  const std::string all =
      per_window(cat(style.by_class, '{', base, ',', style.class_label, "!=\"\"}"), window);
  const std::string code = measure.what == What::errors ? "5xx" : measure.code;
  if (code.empty()) {
    return cat("sum(", all, ')');
  }
  const bool whole_class = code.ends_with("xx");
  const std::string label = whole_class ? cat(style.class_label, "=\"", code[0], style.class_tail)
                                        : cat(style.code_label, "=\"", code);
  return sum_of(
      {per_window(cat(whole_class ? style.by_class : style.by_code, '{', base, ',', label, "\"}"),
                  window)},
      all);
}

}  // namespace

std::optional<Measure> find_measure(std::string_view name) {
  for (const PlainName& plain : k_plain_names) {
    if (plain.name == name) {
      return Measure{plain.what, {}, {}};
    }
  }
  for (const Prefix& prefix : k_prefixes) {
    Measure measure{prefix.what, {}, {}};
    if (name.starts_with(prefix.text) &&
        read_suffix(name.substr(prefix.text.size()), prefix.methods, measure)) {
      return measure;
    }
  }
  return std::nullopt;
}

util::Result<std::string> measure_query(const Measure& measure, const Subject& subject,
                                        const std::string& version, Names names,
                                        const std::string& reporter, std::chrono::seconds window) {
  using util::ErrorKind;
  if (std::find(subject.versions.begin(), subject.versions.end(), version) ==
      subject.versions.end()) {
    return util::fail(ErrorKind::invalid, cat(subject.host, " has no version ", version,
                                              util::did_you_mean(version, subject.versions)));
  }
  if (measure.what != What::requests && measure.what != What::errors &&
      measure.what != What::duration) {
    return util::fail(ErrorKind::invalid,
                      "what a Deployment tells of itself is not asked of Prometheus");
  }
  if (names == Names::istio) {
    return istio_measure(measure, subject, version, reporter, window);
  }
  if (!measure.method.empty() || (measure.what == What::duration && !measure.code.empty())) {
    return util::fail(
        ErrorKind::invalid,
        "Envoy's counters of clusters know neither methods nor how long which code took",
        "Use Istio's metrics for it, or a name without method and code.");
  }
  const auto own = subject.hosts.find(version);
  const std::string clusters = own == subject.hosts.end() ? cluster_pattern(version, subject.host)
                                                          : cluster_pattern("", own->second);
  return cat('(', envoy_part(measure, k_envoy_styles[0], clusters, window), ") or (",
             envoy_part(measure, k_envoy_styles[1], clusters, window), ')');
}

}  // namespace kubist::metrics
