#include "custom_columns.hpp"

#include <cmath>
#include <cstdio>

#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

std::string go_float(double number) {
  // fmt's %v writes exponents from 1e21 on, as encoding/json does, and below 1e-4.
  if (number != 0 && std::abs(number) < 1e-4) {
    char text[40];
    for (int digits = 0; digits < 17; ++digits) {
      std::snprintf(text, sizeof text, "%.*e", digits, number);
      if (std::stod(text) == number) {
        break;
      }
    }
    return text;
  }
  return data::go_json_number(number);
}

}  // namespace

std::string go_text(const data::Json& value) {
  std::string text;
  switch (value.type()) {
    case data::Json::value_t::null:
      return "<nil>";
    case data::Json::value_t::string:
      return value.get<std::string>();
    case data::Json::value_t::number_float:
      return go_float(value.get<double>());
    case data::Json::value_t::object:
      for (const auto& [key, element] : value.items()) {
        text += util::cat(text.empty() ? "" : " ", key, ':', go_text(element));
      }
      return util::cat("map[", text, ']');
    case data::Json::value_t::array:
      for (std::size_t i = 0; i < value.size(); ++i) {
        text += util::cat(i == 0 ? "" : " ", go_text(value[i]));
      }
      return util::cat('[', text, ']');
    default:
      return data::to_json(value);
  }
}

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
    KUBIST_TRY(const auto found, column.path.find(value, data::MissingKeys::allow));
    std::string text;
    bool first = true;
    for (const data::Json* one : found.values()) {
      text += util::cat(first ? "" : ",", one->is_null() ? "<none>" : go_text(*one));
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
