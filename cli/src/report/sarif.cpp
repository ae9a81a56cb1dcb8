#include <map>
#include <utility>

#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "reasons.hpp"
#include "report/place.hpp"
#include "report/report.hpp"

namespace kubist::cli {

using data::Json;
using util::cat;

namespace {

/// A path as a URI: below the root of the checkout, or by itself.
Json artifact(const std::string& path) {
  if (path.find("://") != std::string::npos) {
    return {{"uri", path}};
  }
  std::vector<std::string> parts = util::split(path, '/');
  for (std::string& part : parts) {
    part = util::percent_encode(part);
  }
  const std::string uri = util::join(parts, "/");
  return path.starts_with('/') ? Json{{"uri", cat("file://", uri)}}
                               : Json{{"uri", uri}, {"uriBaseId", "%SRCROOT%"}};
}

Json location(const ReportCase& each, const std::string& input) {
  // Code scanning takes no result without a place; "." is the checkout.
  const std::string known = repository_path(each.pos.origin.empty() ? input : each.pos.origin);
  const std::string path = known.empty() ? "." : known;
  Json physical{{"artifactLocation", artifact(path)}};
  if (each.pos.line > 0) {
    physical["region"] = {{"startLine", each.pos.line}};
  }
  if (each.pos.column > 0) {
    physical["region"]["startColumn"] = each.pos.column;
  }
  Json place{{"physicalLocation", std::move(physical)}};
  if (!each.name.empty()) {
    place["logicalLocations"] = {{{"fullyQualifiedName", util::printable(each.name)}}};
  }
  return place;
}

/// Each reason once, as code scanning wants rules to be described.
class Rules {
 public:
  std::size_t index(const std::string& reason) {
    const auto [found, is_new] = m_known.emplace(reason, m_known.size());
    if (is_new) {
      const Json text{{"text", cat("kubist: ", reason)}};
      Json rule{{"id", reason}, {"shortDescription", text}, {"fullDescription", text}};
      if (const Reason* known = find_reason(reason)) {
        rule["fullDescription"]["text"] = known->means;
        rule["help"]["text"] = cat(known->advice, "\n\nkubist explain ", reason);
      }
      m_rules.push_back(std::move(rule));
    }
    return found->second;
  }
  Json rules() const { return m_rules; }

 private:
  std::map<std::string, std::size_t> m_known;
  Json m_rules = Json::array();
};

}  // namespace

// https://docs.oasis-open.org/sarif/sarif/v2.1.0/
std::string sarif_report(const RunReport& report) {
  Rules rules;
  Json results = Json::array();
  for (const auto& [each, digest] : findings(report)) {
    const std::string reason = util::printable(each->reason);
    Json result{{"ruleId", reason},
                {"ruleIndex", rules.index(reason)},
                {"level", each->state == CaseState::failed ? "error" : "warning"},
                {"message",
                 {{"text", util::printable(each->details.empty()
                                               ? each->message
                                               : cat(each->message, '\n', each->details))}}},
                {"partialFingerprints", {{"kubist/v1", digest}}}};
    if (Json place = location(*each, report.input); !place.empty()) {
      result["locations"] = Json::array({std::move(place)});
    }
    results.push_back(std::move(result));
  }
  const Json driver{{"name", "kubist"}, {"version", KUBIST_VERSION}, {"rules", rules.rules()}};
  // Tells the reports of several commands apart, which a repository may have at once.
  const std::string id = cat(util::replace_all(report.title, " ", "-"), '/');
  return data::to_kubectl_json(Json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                    {"version", "2.1.0"},
                                    {"runs",
                                     {{{"tool", {{"driver", driver}}},
                                       {"automationDetails", {{"id", id}}},
                                       {"columnKind", "unicodeCodePoints"},
                                       {"results", results}}}}});
}

}  // namespace kubist::cli
