#include "set_documents.hpp"

#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "junit.hpp"
#include "set_report.hpp"
#include "workflow_command.hpp"

namespace kubist::cli {

using apply::ObjectResult;
using apply::Outcome;
using data::Json;
using util::cat;

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
  return result.error ? result.error->message : result.message;
}

void add_position(Json& entry, const util::SourcePos& pos) {
  if (!pos.origin.empty()) {
    entry["file"] = pos.origin;
    entry["line"] = pos.line;
    entry["column"] = pos.column;
  }
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

std::string github_annotation(const util::SourcePos& pos, std::string_view text) {
  std::vector<std::pair<std::string_view, std::string>> where;
  if (!pos.origin.empty()) {
    where.emplace_back("file", pos.origin);
    if (pos.line > 0) {
      where.emplace_back("line", std::to_string(pos.line));
      where.emplace_back("col", std::to_string(pos.column));
    }
  }
  return workflow_command("error", where, text);
}

std::string set_report_json(const apply::Report& report,
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
  return data::to_kubectl_json(document);
}

std::string set_report_junit(const apply::Report& report,
                             const std::vector<resources::Manifest>& manifests) {
  std::size_t failures = report.errors.size() + report.not_ready.size();
  std::string cases;
  const auto add = [&](const std::string& name, const util::SourcePos& pos,
                       std::string_view failure) {
    cases += cat("  <testcase classname=\"kubist\" name=\"", xml_text(name), "\"",
                 pos.origin.empty() ? "" : cat(" file=\"", xml_text(pos.origin), "\""),
                 pos.line == 0 ? "" : cat(" line=\"", pos.line, "\""), ">",
                 failure.empty() ? "" : cat("<failure message=\"", xml_text(failure), "\"/>"),
                 "</testcase>\n");
  };
  for (const ObjectResult& result : report.results) {
    failures += result.ok() ? 0 : 1;
    add(display_name(result.ref), position(result, manifests),
        result.ok() ? "" : failure_text(result));
  }
  for (const apply::NotReady& left : report.not_ready) {
    add(cat(display_name(left.ref), " ready"), {}, cat(left.status, ": ", left.message));
  }
  for (const util::Error& error : report.errors) {
    add(error.pos.line == 0 ? "input" : cat("input ", util::to_string(error.pos)), error.pos,
        error.message);
  }
  const std::size_t tests = report.results.size() + report.not_ready.size() + report.errors.size();
  return cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"kubist\" tests=\"",
             tests, "\" failures=\"", failures, "\">\n", cases, "</testsuite>\n");
}

std::string set_report_github(const apply::Report& report,
                              const std::vector<resources::Manifest>& manifests) {
  std::string text;
  for (const ObjectResult& result : report.results) {
    if (!result.ok()) {
      text += github_annotation(position(result, manifests),
                                cat(display_name(result.ref), ": ", failure_text(result)));
    }
  }
  for (const apply::NotReady& left : report.not_ready) {
    text += github_annotation({}, cat(display_name(left.ref), " is not ready: ", left.message));
  }
  for (const util::Error& error : report.errors) {
    text += github_annotation(error.pos, error.message);
  }
  return text;
}

}  // namespace kubist::cli
