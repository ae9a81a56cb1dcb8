#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/cli/command.hpp>
#include <kubist/data/jsonpath.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// One column of custom-columns.
struct CustomColumn {
  std::string header;
  data::JsonPath path;
};

/// What -o says, checked and compiled.
struct OutputFormat {
  enum class Kind { table, wide, json, yaml, name, jsonpath, jsonpath_as_json, custom_columns };
  Kind kind = Kind::table;
  std::optional<data::JsonPath> path;  ///< of both jsonpath kinds
  std::vector<CustomColumn> columns;   ///< of custom_columns

  /// A table for people, made by the server or the command (no -o, or wide).
  bool human() const { return kind == Kind::table || kind == Kind::wide; }
  bool wide() const { return kind == Kind::wide; }
};

/// Reads the value of -o: "", wide, json, yaml, name, jsonpath=T, jsonpath-as-json=T,
/// jsonpath-file=F, custom-columns=SPEC, custom-columns-file=F. usage: any other word, with the
/// list; invalid: a template that does not parse.
util::Result<OutputFormat> parse_output_format(std::string_view text);

/// The -o flag for commands that print objects.
Flag output_flag();

}  // namespace kubist::cli
