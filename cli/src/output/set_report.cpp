#include "set_report.hpp"

#include <algorithm>
#include <array>

#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/util/text.hpp>

#include "set_documents.hpp"

namespace kubist::cli {

using apply::ObjectResult;
using apply::Outcome;
using data::Json;
using util::cat;

Flag set_output_flag() {
  return choice_flag("output", 'o', "FORMAT", "print the objects: name, json or yaml", "",
                     {"name", "json", "yaml"});
}

Flag report_flag(std::string_view initial) {
  return choice_flag("report", 0, "FORMAT", "print the run: text, json, junit or github", initial,
                     {"text", "json", "junit", "github"});
}

util::Result<SetFormat> set_format(const Arguments& arguments) {
  const std::string output = arguments.text("output");
  const std::string report = arguments.text("report");
  if (!output.empty() && report != "text") {
    return util::fail(util::ErrorKind::usage, "-o and --report cannot go together",
                      "-o prints the objects, --report what became of them.");
  }
  if (report != "text") {
    return report_format(report);
  }
  return output == "name"   ? SetFormat::name
         : output == "json" ? SetFormat::json
         : output == "yaml" ? SetFormat::yaml
                            : SetFormat::lines;
}

SetFormat report_format(std::string_view report) {
  return report == "json"     ? SetFormat::report_json
         : report == "junit"  ? SetFormat::junit
         : report == "github" ? SetFormat::github
                              : SetFormat::lines;
}

std::string set_document(SetFormat format, const apply::Report& report,
                         const std::vector<resources::Manifest>& manifests) {
  switch (format) {
    case SetFormat::report_json:
      return set_report_json(report, manifests);
    case SetFormat::junit:
      return set_report_junit(report, manifests);
    case SetFormat::github:
      return set_report_github(report, manifests);
    default:
      return {};
  }
}

std::string refusal_document(const Arguments& arguments, const util::Error& error) {
  const auto& flags = arguments.spec().flags;
  const bool reports = std::any_of(flags.begin(), flags.end(),
                                   [](const Flag& flag) { return flag.name == "report"; });
  if (!reports || error.kind == util::ErrorKind::usage ||
      error.kind == util::ErrorKind::cancelled) {
    return {};
  }
  // Details of an answer of the API server only explain its message.
  const bool several = !error.details.empty() && error.http_status == 0;
  apply::Report report;
  report.errors = several ? error.details : std::vector{error};
  return set_document(report_format(arguments.text("report")), report, {});
}

std::string display_name(const resources::ObjectRef& ref) {
  return cat(util::lower(ref.kind), ref.group.empty() ? "" : ".", ref.group, '/', ref.name);
}

SetPrinter::SetPrinter(Context& context, SetFormat format, std::string suffix,
                       const std::vector<resources::Manifest>& manifests)
    : m_context(context), m_format(format), m_suffix(std::move(suffix)), m_manifests(manifests) {}

util::SourcePos SetPrinter::position(const ObjectResult& result) const {
  if (result.error && !result.error->pos.origin.empty()) {
    return result.error->pos;
  }
  return result.index < m_manifests.size() ? m_manifests[result.index].pos : util::SourcePos{};
}

void SetPrinter::result(const ObjectResult& result) {
  explain(result);
  if (m_format == SetFormat::name && result.ok()) {
    m_context.out().write(cat(display_name(result.ref), '\n'));
  } else if (m_format == SetFormat::lines && result.ok()) {
    m_context.out().write(cat(display_name(result.ref), ' ', to_string(result.outcome),
                              result.message.empty() ? "" : ": ", result.message, m_suffix, '\n'));
  }
  m_context.out().flush();
}

namespace {

std::string conflict_table(const std::vector<apply::Conflict>& conflicts) {
  std::vector<std::array<std::string, 4>> rows{{"FIELD", "OWNER", "LIVE", "INPUT"}};
  for (const apply::Conflict& conflict : conflicts) {
    rows.push_back({conflict.field, conflict.owner, conflict.live, conflict.input});
  }
  std::array<std::size_t, 4> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], util::display_width(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t pad = i + 1 < row.size() ? widths[i] - util::display_width(row[i]) + 2 : 0;
      line += cat(' ', row[i], std::string(pad, ' '));
    }
    text += cat(std::string_view(line).substr(0, line.find_last_not_of(' ') + 1), '\n');
  }
  return text;
}

}  // namespace

void SetPrinter::explain(const ObjectResult& result) {
  if (result.ok()) {
    return;
  }
  std::string text = cat(display_name(result.ref), ": ");
  const auto pos = position(result);
  if (!pos.origin.empty()) {
    text = cat(util::to_string(pos), ": ", text);
  }
  if (result.outcome == Outcome::conflict) {
    const std::size_t count = result.conflicts.size();
    text += cat(count, count == 1 ? " field belongs" : " fields belong",
                " to another field manager\n", conflict_table(result.conflicts));
    text.pop_back();
  } else if (result.error) {
    util::Error error = *result.error;
    error.pos = {};
    error.details.clear();
    text += error.to_string();
  } else {
    text += cat(to_string(result.outcome), ": ", result.message);
  }
  m_context.log().line(cat(result.outcome == Outcome::skipped ? "" : "error: ", text));
}

void SetPrinter::explain_not_ready(const apply::Report& report) {
  for (const apply::NotReady& left : report.not_ready) {
    std::string text =
        cat(display_name(left.ref), left.failed ? " failed: " : " is not ready: ", left.status,
            left.message.empty() ? "" : ": ", left.message);
    for (const std::string& event : left.events) {
      text += cat("\n  ", event);
    }
    m_context.log().line(text);
  }
}

util::Result<int> SetPrinter::finish(const apply::Report& report) {
  switch (m_format) {
    case SetFormat::json:
    case SetFormat::yaml:
      objects(report);
      break;
    default:
      m_context.out().write(set_document(m_format, report, m_manifests));
      break;
  }
  explain_not_ready(report);
  m_context.out().flush();
  if (auto error = report.error()) {
    return util::fail(*std::move(error));
  }
  return k_ok;
}

void SetPrinter::objects(const apply::Report& report) {
  Json items = Json::array();
  for (const ObjectResult& result : report.results) {
    if (result.ok() && !result.live.is_null()) {
      Json object = result.live;
      object["metadata"].erase("managedFields");
      items.push_back(std::move(object));
    }
  }
  Json document = items.size() == 1 ? items[0]
                                    : Json{{"apiVersion", "v1"},
                                           {"kind", "List"},
                                           {"metadata", {{"resourceVersion", ""}}},
                                           {"items", items}};
  m_context.out().write(m_format == SetFormat::json ? data::to_kubectl_json(document)
                                                    : data::to_yaml(document));
}

}  // namespace kubist::cli
