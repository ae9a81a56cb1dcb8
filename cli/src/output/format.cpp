#include "format.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::cli {
namespace {

using util::ErrorKind;
using Kind = OutputFormat::Kind;

constexpr std::string_view k_formats =
    "json, yaml, name, wide, jsonpath=TEMPLATE, jsonpath-as-json=TEMPLATE, jsonpath-file=FILE, "
    "custom-columns=HEADER:PATH,..., custom-columns-file=FILE";

util::Result<CustomColumn> custom_column(std::string_view header, std::string_view path) {
  KUBIST_TRY(auto compiled, data::JsonPath::compile_relaxed(path));
  return CustomColumn{std::string(header), std::move(compiled)};
}

/// Pieces between commas that stand outside of brackets and parentheses.
std::vector<std::string_view> column_specs(std::string_view text) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '(') {
      ++depth;
    } else if (text[i] == ']' || text[i] == ')') {
      --depth;
    } else if (text[i] == ',' && depth <= 0) {
      pieces.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

util::Result<std::vector<CustomColumn>> parse_columns(std::string_view text) {
  std::vector<CustomColumn> columns;
  for (const std::string_view spec : column_specs(text)) {
    const std::size_t colon = spec.find(':');
    if (colon == std::string_view::npos) {
      return util::fail(ErrorKind::usage, util::cat("unexpected custom-columns spec: ", spec,
                                                    ", expected <header>:<json-path-expr>"));
    }
    KUBIST_TRY(auto column, custom_column(spec.substr(0, colon), spec.substr(colon + 1)));
    columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<std::string> fields(std::string_view line) {
  std::vector<std::string> words;
  for (std::string& word : util::split(util::replace_all(line, "\t", " "), ' ')) {
    if (!util::trim(word).empty()) {
      words.emplace_back(util::trim(word));
    }
  }
  return words;
}

util::Result<std::vector<CustomColumn>> read_columns_file(const std::string& file) {
  KUBIST_TRY(const std::string text, util::read_file(file));
  const std::vector<std::string> lines = util::split(text, '\n');
  const auto headers = fields(lines[0]);
  const auto paths = lines.size() > 1 ? fields(lines[1]) : std::vector<std::string>{};
  if (headers.empty() || headers.size() != paths.size()) {
    return util::fail(ErrorKind::invalid,
                      util::cat(file, ": number of headers (", headers.size(),
                                ") and of paths in the second line (", paths.size(), ") differ"));
  }
  std::vector<CustomColumn> columns;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    KUBIST_TRY(auto column, custom_column(headers[i], paths[i]));
    columns.push_back(std::move(column));
  }
  return columns;
}

util::Result<OutputFormat> with_path(Kind kind, std::string_view text) {
  KUBIST_TRY(auto path, data::JsonPath::compile(text));
  return OutputFormat{kind, std::move(path), {}};
}

util::Result<OutputFormat> with_columns(util::Result<std::vector<CustomColumn>> columns) {
  KUBIST_CHECK(columns);
  return OutputFormat{Kind::custom_columns, {}, std::move(*columns)};
}

util::Result<OutputFormat> parse_template(std::string_view word, const std::string& value) {
  if (word == "jsonpath") {
    return with_path(Kind::jsonpath, value);
  }
  if (word == "jsonpath-as-json") {
    return with_path(Kind::jsonpath_as_json, value);
  }
  if (word == "jsonpath-file") {
    KUBIST_TRY(const std::string text, util::read_file(value));
    return with_path(Kind::jsonpath, text);
  }
  if (word == "custom-columns") {
    return with_columns(parse_columns(value));
  }
  return with_columns(read_columns_file(value));
}

}  // namespace

util::Result<OutputFormat> parse_output_format(std::string_view text) {
  static constexpr util::Word<Kind> k_plain[] = {{Kind::table, ""},
                                                 {Kind::wide, "wide"},
                                                 {Kind::json, "json"},
                                                 {Kind::yaml, "yaml"},
                                                 {Kind::name, "name"}};
  constexpr std::array<std::string_view, 5> templates{
      "jsonpath", "jsonpath-as-json", "jsonpath-file", "custom-columns", "custom-columns-file"};
  if (const auto kind = util::value_of(k_plain, text)) {
    return OutputFormat{*kind, {}, {}};
  }
  const std::size_t equals = text.find('=');
  const std::string_view word = text.substr(0, equals);
  if (std::find(templates.begin(), templates.end(), word) == templates.end()) {
    return util::fail(ErrorKind::usage, util::cat("unknown output format \"", text, "\""),
                      util::cat("-o takes: ", k_formats, "."));
  }
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    return util::fail(ErrorKind::usage,
                      util::cat("-o ", word, " needs a value: -o ", word, "=..."));
  }
  return parse_template(word, std::string(text.substr(equals + 1)));
}

Flag output_flag() {
  return choice_flag(
      "output", 'o', "FORMAT",
      "json, yaml, name, wide, jsonpath=TEMPLATE, jsonpath-as-json=TEMPLATE, jsonpath-file=FILE, "
      "custom-columns=SPEC or custom-columns-file=FILE",
      "",
      {"json", "yaml", "name", "wide", "jsonpath=", "jsonpath-as-json=", "jsonpath-file=",
       "custom-columns=", "custom-columns-file="});
}

}  // namespace kubist::cli
