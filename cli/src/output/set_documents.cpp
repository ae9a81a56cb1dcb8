#include "set_documents.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "error_text.hpp"
#include "set_report.hpp"

namespace kubist::cli {

using apply::ObjectResult;
using apply::Outcome;
using data::Json;
using util::cat;

void add_position(Json& entry, const util::SourcePos& pos) {
  if (!pos.origin.empty()) {
    entry["file"] = pos.origin;
    entry["line"] = pos.line;
    entry["column"] = pos.column;
  }
}

namespace {

util::SourcePos position(const ObjectResult& result,
                         const std::vector<resources::Manifest>& manifests) {
  if (result.error && !result.error->pos.origin.empty()) {
    return result.error->pos;
  }
  return result.index < manifests.size() ? manifests[result.index].pos : util::SourcePos{};
}

std::string failure_text(const ObjectResult& result) {
  if (result.outcome == Outcome::conflict) {
    std::vector<std::string> fields;
    for (const apply::Conflict& conflict : result.conflicts) {
      fields.push_back(cat(conflict.field, " belongs to ", conflict.owner));
    }
    return util::join(fields, "; ");
  }
  return result.error ? error_message(*result.error) : result.message;
}

Json error_json(const util::Error& error) {
  Json entry{{"kind", util::to_string(error.kind)}, {"message", error.message}};
  if (!error.hint.empty()) {
    entry["hint"] = error.hint;
  }
  if (!error.reason.empty()) {
    entry["reason"] = error.reason;
  }
  add_position(entry, error.pos);
  for (const util::Error& detail : error.details) {
    entry["details"].push_back(error_json(detail));
  }
  return entry;
}

Json ref_json(const resources::ObjectRef& ref) {
  Json entry{{"kind", ref.kind}, {"name", ref.name}};
  if (!ref.group.empty()) {
    entry["group"] = ref.group;
  }
  if (!ref.ns.empty()) {
    entry["namespace"] = ref.ns;
  }
  return entry;
}

}  // namespace

Json set_result_json(const ObjectResult& result,
                     const std::vector<resources::Manifest>& manifests) {
  Json entry = ref_json(result.ref);
  entry["apiVersion"] = result.api_version;
  entry["outcome"] = to_string(result.outcome);
  entry["written"] = result.written;
  if (!result.message.empty()) {
    entry["message"] = result.message;
  }
  if (result.error) {
    entry["error"] = error_json(*result.error);
  }
  for (const apply::Conflict& conflict : result.conflicts) {
    Json row{{"field", conflict.field},
             {"owner", conflict.owner},
             {"live", conflict.live},
             {"input", conflict.input}};
    add_position(row, conflict.pos);
    entry["conflicts"].push_back(std::move(row));
  }
  add_position(entry, position(result, manifests));
  return entry;
}

Json set_report_json(const apply::Report& report,
                     const std::vector<resources::Manifest>& manifests) {
  Json document{{"ok", report.ok()},
                {"results", Json::array()},
                {"summary", Json::object()},
                {"notReady", Json::array()},
                {"errors", Json::array()}};
  for (const ObjectResult& result : report.results) {
    document["results"].push_back(set_result_json(result, manifests));
    Json& count = document["summary"][std::string(to_string(result.outcome))];
    count = (count.is_null() ? 0 : count.get<int>()) + 1;
  }
  for (const apply::NotReady& left : report.not_ready) {
    Json entry = ref_json(left.ref);
    entry["status"] = left.status;
    entry["message"] = left.message;
    entry["failed"] = left.failed;
    entry["events"] = left.events;
    document["notReady"].push_back(std::move(entry));
  }
  for (const util::Error& error : report.errors) {
    document["errors"].push_back(error_json(error));
  }
  return document;
}

namespace {

ReportCase result_case(const ObjectResult& result,
                       const std::vector<resources::Manifest>& manifests) {
  ReportCase entry;
  if (!result.ok()) {
    entry = error_case(result.error.value_or(util::make_error(
        result.outcome == Outcome::conflict ? util::ErrorKind::conflict : util::ErrorKind::internal,
        result.message)));
    entry.message = failure_text(result);
  }
  if (result.outcome == Outcome::skipped) {
    entry.state = CaseState::skipped;
    entry.reason = "Skipped";
  }
  entry.group = result.ref.kind;
  entry.name = display_name(result.ref);
  entry.pos = position(result, manifests);
  if (!result.conflicts.empty() && !result.conflicts.front().pos.origin.empty()) {
    entry.pos = result.conflicts.front().pos;
  }
  return entry;
}

ReportCase not_ready_case(const apply::NotReady& left, const util::SourcePos& pos) {
  ReportCase entry;
  entry.group = left.ref.kind;
  entry.name = cat(display_name(left.ref), " ready");
  entry.pos = pos;
  entry.state = left.failed ? CaseState::failed : CaseState::waiting;
  entry.reason = left.failed ? "Failed" : "NotReady";
  entry.message = left.message.empty() ? left.status : cat(left.status, ": ", left.message);
  entry.details = util::join(left.events, "\n");
  return entry;
}

}  // namespace

RunReport set_report(const apply::Report& report, const std::vector<resources::Manifest>& manifests,
                     std::string text) {
  RunReport made;
  std::map<resources::ObjectRef, util::SourcePos> places;
  for (const ObjectResult& result : report.results) {
    made.cases.push_back(result_case(result, manifests));
    places[result.ref] = made.cases.back().pos;
  }
  for (const apply::NotReady& left : report.not_ready) {
    made.cases.push_back(not_ready_case(left, places[left.ref]));
  }
  std::transform(report.errors.begin(), report.errors.end(), std::back_inserter(made.cases),
                 error_case);
  made.text = [text = std::move(text)] { return text; };
  made.json = [&] { return data::to_kubectl_json(set_report_json(report, manifests)); };
  return made;
}

namespace {

apply::Report refused(const util::Error& error) {
  // Details of an answer of the API server only explain its message.
  const bool several = !error.details.empty() && error.http_status == 0;
  apply::Report report;
  report.errors = several ? error.details : std::vector{error};
  return report;
}

}  // namespace

Json refusal_json(const util::Error& error) {
  return set_report_json(refused(error), no_manifests());
}

RunReport refusal_report(const util::Error& error) {
  RunReport made = set_report(refused(error), no_manifests(), cat(error_text(error), '\n'));
  made.json = [error] { return data::to_kubectl_json(refusal_json(error)); };
  return made;
}

}  // namespace kubist::cli
