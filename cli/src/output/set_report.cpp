#include "set_report.hpp"

#include <algorithm>
#include <array>

#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "../error_text.hpp"
#include "document.hpp"
#include "set_documents.hpp"

namespace kubist::cli {

using apply::ObjectResult;
using apply::Outcome;
using data::Json;
using util::cat;

Flag set_output_flag() {
  return document_flag("print the objects: name, json, yaml or jsonpath=TEMPLATE", "", {"name"});
}

util::Result<SetFormat> set_format(const Arguments& arguments, const Reports& reports) {
  const std::string output = arguments.text("output");
  if (!output.empty() && !reports.in_place().empty()) {
    return util::fail(util::ErrorKind::usage, "-o and --report cannot go together",
                      "-o prints the objects, --report FORMAT=FILE what became of them beside it.");
  }
  return output == "name"  ? SetFormat::name
         : !output.empty() ? SetFormat::objects
                           : line_format(reports);
}

SetFormat line_format(const Reports& reports) {
  return reports.plain() ? SetFormat::lines : SetFormat::nothing;
}

std::string display_name(const resources::ObjectRef& ref) {
  return cat(util::lower(ref.kind), ref.group.empty() ? "" : ".", ref.group, '/', ref.name);
}

const std::vector<resources::Manifest>& no_manifests() {
  static const std::vector<resources::Manifest> none;
  return none;
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
  if (result.ok()) {
    line(cat(display_name(result.ref), ' ', to_string(result.outcome),
             result.message.empty() ? "" : ": ", result.message, m_suffix, '\n'));
  }
  if (m_format == SetFormat::name && result.ok()) {
    m_context.out().write(cat(display_name(result.ref), '\n'));
  }
  m_context.out().flush();
}

void SetPrinter::line(std::string_view text) {
  m_text += text;
  if (m_format == SetFormat::lines) {
    m_context.out().write(text);
  }
}

void SetPrinter::log(const std::string& text) {
  m_text += cat(text, '\n');
  m_context.log().line(text);
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
  const auto pos = position(result);
  const std::string about =
      cat(util::to_string(pos), pos.origin.empty() ? "" : ": ", display_name(result.ref), ": ");
  if (result.outcome == Outcome::conflict) {
    const std::size_t count = result.conflicts.size();
    std::string text =
        cat("error: ", about, count, count == 1 ? " field belongs" : " fields belong",
            " to another field manager\n", conflict_table(result.conflicts));
    text.pop_back();
    log(text);
  } else if (result.error) {
    util::Error error = *result.error;
    error.pos = {};
    error.details.clear();
    // Where words of the command line named it, the server's words do, too.
    const bool named = pos.origin.empty() && !error.request.empty() &&
                       error.message.find(cat('"', result.ref.name, '"')) != std::string::npos;
    log(error_text(error, named ? "" : about));
  } else {
    log(cat(result.outcome == Outcome::skipped ? "" : "error: ", about, to_string(result.outcome),
            ": ", result.message));
  }
}

void SetPrinter::explain_not_ready(const apply::Report& report) {
  for (const apply::NotReady& left : report.not_ready) {
    std::string text =
        cat(display_name(left.ref), left.failed ? " failed: " : " is not ready: ", left.status,
            left.message.empty() ? "" : ": ", left.message);
    for (const std::string& event : left.events) {
      text += cat("\n  ", event);
    }
    log(text);
  }
}

util::Result<int> SetPrinter::finish(const apply::Report& report,
                                     const std::function<void(RunReport&)>& amend) {
  if (m_format == SetFormat::objects) {
    KUBIST_CHECK(objects(report));
  }
  explain_not_ready(report);
  m_context.out().flush();
  RunReport made = set_report(report, m_manifests, m_text);
  if (amend) {
    amend(made);
  }
  m_context.reports().deliver(std::move(made), m_context.out());
  if (auto error = report.error()) {
    return util::fail(*std::move(error));
  }
  return k_ok;
}

util::Result<> SetPrinter::objects(const apply::Report& report) {
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
  KUBIST_CHECK(print_document(m_context, document));
  return {};
}

}  // namespace kubist::cli
