#include <kubist/data/yaml_edit.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::data {

using util::cat;
using util::ErrorKind;

namespace {

constexpr std::string_view k_blanks = " \t\r\n";

/// The lines of a text, each with its end.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

/// The line behind the value of the key in line `key` and column `indent`, both from 0. A list may
/// stand at the indent of its key; comments and blank lines behind the value are not of it.
std::size_t end_of_value(const std::vector<std::string_view>& lines, std::size_t key,
                         std::size_t indent) {
  std::size_t end = key + 1;
  for (std::size_t i = key + 1; i < lines.size(); ++i) {
    const std::size_t first = lines[i].find_first_not_of(k_blanks);
    if (first == std::string_view::npos || lines[i][first] == '#') {
      continue;
    }
    const std::string_view rest = lines[i].substr(first);
    const bool item = rest.starts_with("- ") && first == indent;
    if ((first <= indent && !item) || lines[i].starts_with("---") || lines[i].starts_with("...")) {
      break;
    }
    end = i + 1;
  }
  return end;
}

std::string in_block_style(std::string_view key, const Json& value, std::size_t indent,
                           std::string_view line_end) {
  const bool nested = value.is_structured() && !value.empty();
  std::string text = cat(std::string(indent, ' '), key, nested ? ":" : ": ");
  if (!nested) {
    return cat(text, util::trim(to_yaml(value)), line_end);
  }
  text += line_end;
  for (const std::string& line : util::split(util::trim(to_yaml(value)), '\n')) {
    text +=
        line.empty() ? std::string(line_end) : cat(std::string(indent + 2, ' '), line, line_end);
  }
  return text;
}

bool reads_as(const std::string& text, const Document& before, const Json& wanted) {
  const auto was = read_documents(*before.source, "before");
  const auto now = read_documents(text, "after");
  if (!was || !now || was->size() != now->size()) {
    return false;
  }
  for (std::size_t i = 0; i < now->size(); ++i) {
    if ((*now)[i].value != (i == before.index ? wanted : (*was)[i].value)) {
      return false;
    }
  }
  return true;
}

}  // namespace

util::Result<std::string> replace_value(const Document& document, std::string_view pointer,
                                        const Json& value) {
  const util::SourcePos at = document.position(pointer, At::key);
  const auto refuse = [&](std::string_view why) {
    return util::fail(ErrorKind::invalid, at, cat(pointer, " cannot be replaced here: ", why),
                      "Write it by hand.");
  };
  const auto lines = lines_of(*document.source);
  const std::string_view key = pointer.substr(pointer.rfind('/') + 1);
  if (at.line == 0 || at.line > lines.size()) {
    return refuse("it is not there");
  }
  const std::size_t line = at.line - 1;
  const std::size_t indent = lines[line].find_first_not_of(' ');
  if (document.origin.json || indent + 1 != at.column ||
      !lines[line].substr(indent).starts_with(cat(key, ':'))) {
    return refuse("its key does not begin a line");
  }
  const std::string_view line_end = lines[line].ends_with("\r\n") ? "\r\n" : "\n";
  std::string text;
  for (std::size_t i = 0; i < line; ++i) {
    text += lines[i];
  }
  text += in_block_style(key, value, indent, line_end);
  for (std::size_t i = end_of_value(lines, line, indent); i < lines.size(); ++i) {
    text += lines[i];
  }
  Json wanted = document.value;
  wanted[Json::json_pointer(std::string(pointer))] = value;
  return reads_as(text, document, wanted) ? util::Result<std::string>(std::move(text))
                                          : refuse("the text would not read as wanted afterwards");
}

}  // namespace kubist::data
