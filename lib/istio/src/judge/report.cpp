#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include <kubist/istio/verdict.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::istio {

using data::Json;
using util::cat;

std::string_view to_string(Verdict verdict) {
  static constexpr util::Word<Verdict> k_words[] = {
      {Verdict::unknown, "unknown"},     {Verdict::absent, "absent"},
      {Verdict::leftover, "leftover"},   {Verdict::remote, "remote"},
      {Verdict::partial, "partial"},     {Verdict::installing, "installing"},
      {Verdict::unhealthy, "unhealthy"}, {Verdict::degraded, "degraded"},
      {Verdict::outdated, "outdated"},   {Verdict::healthy, "healthy"}};
  return util::word_of(k_words, verdict);
}

namespace {

Json to_json(const Finding& finding) {
  Json json{{"verdict", to_string(finding.verdict)},
            {"code", finding.code},
            {"evidence", finding.evidence},
            {"next", finding.next}};
  if (!finding.revision.empty()) {
    json["revision"] = finding.revision;
  }
  return json;
}

Json to_json(const RevisionReport& revision) {
  return {{"name", revision.name},
          {"namespace", revision.ns},
          {"verdict", to_string(revision.verdict)},
          {"ready", revision.ready},
          {"version", revision.version},
          {"versionSource", revision.version_source},
          {"installer", revision.installer},
          {"mode", revision.ambient ? "ambient" : "sidecar"},
          {"replicas", {{"ready", revision.ready_replicas}, {"wanted", revision.wanted_replicas}}},
          {"tags", revision.tags},
          {"namespaces", revision.namespaces},
          {"proxies", revision.proxies},
          {"counts", revision.counts}};
}

}  // namespace

Json to_json(const Report& report) {
  Json json{{"verdict", to_string(report.verdict)},
            {"ready", report.ready},
            {"version", report.version},
            {"revision", report.revision},
            {"next", next_step(report)},
            {"reasons", Json::array()},
            {"revisions", Json::array()},
            {"notes", report.notes},
            {"kubernetesVersion", report.kubernetes_version},
            {"supportAsOf", report.support_as_of}};
  for (const Finding& finding : report.findings) {
    json["reasons"].push_back(to_json(finding));
  }
  for (const RevisionReport& revision : report.revisions) {
    json["revisions"].push_back(to_json(revision));
  }
  return json;
}

Report without_names(Report report, const std::function<bool(const std::string& ns)>& own) {
  using Kind = std::tuple<std::string, Verdict, std::string>;  // word of the code, and whose it is
  const auto kind_of = [](const Finding& each) {
    return Kind(each.code, each.verdict, each.revision);
  };
  std::map<Kind, std::set<std::string>> counted;  // namespaces
  std::vector<Finding> told;
  for (Finding& each : report.findings) {
    std::set<std::string> places;
    for (const std::string& name : each.about) {
      places.insert(name.substr(0, name.find('/')));
    }
    bool first = true;
    if (!std::all_of(places.begin(), places.end(), own)) {
      each = {each.verdict, each.code.substr(0, each.code.find(':')), "", "", each.revision, {}};
      auto& all = counted[kind_of(each)];
      first = all.empty();
      all.merge(places);
    }
    if (first) {
      told.push_back(std::move(each));
    }
  }
  for (Finding& each : told) {
    if (each.evidence.empty()) {
      const std::size_t count = counted[kind_of(each)].size();
      each.evidence = cat(each.code, " in ", count, count == 1 ? " namespace" : " namespaces",
                          " (kubist istio check names them)");
    }
  }
  report.findings = std::move(told);
  return report;
}

std::string summary(const Report& report) {
  const std::string what = report.version.empty()
                               ? std::string()
                               : cat("Istio ", report.version,
                                     report.revision.empty() ? "" : ", revision ", report.revision);
  for (const Finding& finding : report.findings) {
    if (finding.verdict == report.verdict) {
      return what.empty() ? finding.evidence : cat(finding.evidence, " (", what, ')');
    }
  }
  return what.empty() ? std::string("Istio is ") + std::string(to_string(report.verdict)) : what;
}

std::string next_step(const Report& report) {
  return report.findings.empty() || report.findings.front().verdict != report.verdict
             ? std::string()
             : report.findings.front().next;
}

std::string condition_reason(const Report& report) {
  const bool found = !report.findings.empty() && report.findings.front().verdict == report.verdict;
  const std::string code =
      found ? report.findings.front().code : std::string(to_string(report.verdict));
  std::string reason;
  bool begins = true;
  for (const char c : code.substr(0, code.find_first_of(":/"))) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      begins = true;
      continue;
    }
    reason += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = false;
  }
  return reason;
}

}  // namespace kubist::istio
