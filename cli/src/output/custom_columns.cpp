#include "custom_columns.hpp"

#include <kubist/data/document.hpp>
#include <kubist/data/go_text.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

CustomColumnsPrinter::CustomColumnsPrinter(const OutputFormat& format, Sink& out,
                                           const PrinterOptions& options)
    : m_format(format),
      m_table(out),
      m_header(!options.no_headers),
      m_stream(options.shape == OutputShape::stream) {}

void CustomColumnsPrinter::print_header() {
  if (!m_header) {
    return;
  }
  m_header = false;
  std::vector<std::string_view> cells;
  for (const CustomColumn& column : m_format.columns) {
    cells.push_back(column.header);
  }
  m_table.row(cells);
}

util::Result<> CustomColumnsPrinter::print(const PrintedObject& object) {
  KUBIST_TRY(auto value, data::parse_json(object.raw, "the object", {.keep_source = false}));
  if (!object.typed && value.is_object()) {
    value["apiVersion"] = object.api_version;
    value["kind"] = object.kind;
  }
  print_header();
  std::vector<std::string> texts;
  for (const CustomColumn& column : m_format.columns) {
    KUBIST_TRY(const auto found,
               column.path.find(value, data::MissingKeys::allow, data::k_most_printed));
    std::string text;
    bool first = true;
    for (const data::Json* one : found.values()) {
      text += util::cat(first ? "" : ",", one->is_null() ? "<none>" : data::go_text(*one));
      first = false;
    }
    texts.push_back(first ? "<none>" : util::replace_all(text, "\x1b", "^["));
  }
  m_table.row({texts.begin(), texts.end()});
  if (m_stream) {
    m_table.flush();
  }
  return {};
}

util::Result<> CustomColumnsPrinter::finish() {
  print_header();
  m_table.flush();
  return {};
}

}  // namespace kubist::cli
