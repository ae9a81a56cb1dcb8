#include "explain.hpp"

#include <algorithm>

#include <kubist/data/go_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

constexpr std::size_t k_width = 80;

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  const std::string space(indent, ' ');
  for (const std::string& paragraph : util::split(text, '\n')) {
    std::string line;
    for (const std::string& word : util::split(paragraph, ' ')) {
      if (!line.empty() && line.size() + 1 + word.size() > k_width - indent) {
        result += cat(space, line, '\n');
        line = word;
      } else {
        line +=
            line.empty() && word.empty() ? " " : cat(line.empty() || line == " " ? "" : " ", word);
      }
    }
    result += cat(space, util::trim(line).empty() ? "" : line, '\n');
  }
  return result;
}

std::string enum_list(const Json& schema, std::string_view before, std::string_view between) {
  std::string text;
  for (const Json& value : data::array_at(schema, {"enum"})) {
    text += cat(text.empty() ? before : between, data::go_text(value));
  }
  return text;
}

std::string field_line(const Schemas& schemas, const Json& parent, const std::string& field,
                       const Json& schema, std::size_t indent) {
  const std::string space(indent, ' ');
  const std::string choices = enum_list(*schemas.resolve(schema).schema, "enum: ", ", ");
  return cat(space, field, "\t<", schemas.type_of(schema), '>',
             is_required(parent, field) ? " -required-" : "", '\n',
             choices.empty() ? "" : space + choices + '\n');
}

void add_tree(const Schemas& schemas, const Json& parent, std::size_t indent,
              std::vector<const Json*>& above, std::string& text) {
  const Json* fields = data::find_path(parent, {"properties"});
  if (fields == nullptr || above.size() > k_max_schema_depth) {
    return;
  }
  for (const auto& [field, schema] : fields->items()) {
    text += field_line(schemas, parent, field, schema, indent);
    const Json* inner = schemas.innermost(schema).schema;
    if (std::find(above.begin(), above.end(), inner) == above.end()) {
      above.push_back(inner);
      add_tree(schemas, *inner, indent + 2, above, text);
      above.pop_back();
    }
  }
}

std::string fields_section(const Schemas& schemas, const Json& parent, bool recursive) {
  const Json* fields = data::find_path(parent, {"properties"});
  if (fields == nullptr || fields->empty()) {
    return "";
  }
  std::string text = "FIELDS:\n";
  if (recursive) {
    std::vector<const Json*> above{&parent};
    add_tree(schemas, parent, 2, above, text);
    return text;
  }
  for (const auto& [field, schema] : fields->items()) {
    const Resolved resolved = schemas.resolve(schema);
    text += field_line(schemas, parent, field, schema, 2);
    text += cat(
        wrapped(resolved.descriptions.empty() ? "<no description>" : resolved.descriptions.front(),
                4),
        '\n');
  }
  return text;
}

}  // namespace

util::Result<std::string> explain_text(const KindSchema& kind, const std::vector<std::string>& path,
                                       bool recursive) {
  const Schemas schemas(kind.components);
  KUBIST_TRY(const ExplainedField found, find_field(schemas, kind, path));
  std::string text = cat(kind.group.empty() ? "" : cat("GROUP:      ", kind.group, '\n'),
                         "KIND:       ", kind.kind, "\nVERSION:    ", kind.version, "\n\n");
  if (found.field != nullptr) {
    const std::string choices =
        enum_list(*schemas.resolve(*found.field).schema, "ENUM:\n    ", "\n    ");
    text +=
        cat("FIELD: ", path.back(), " <", schemas.type_of(*found.field), ">\n", choices, "\n\n");
  }
  text += "DESCRIPTION:\n";
  text += found.at.descriptions.empty() ? "    <empty>\n" : "";
  for (const std::string& description : found.at.descriptions) {
    text += wrapped(description, 4);
  }
  text += "    \n";
  text += fields_section(schemas, *found.at.schema, recursive);
  return text + '\n';
}

std::string reason_text(const Reason& reason) {
  return cat("REASON:     ", reason.name, "\nTHEN:       ", to_string(reason.then),
             "\n\nMEANING:\n", wrapped(reason.means, 4), wrapped(meaning(reason.then), 4),
             "\nWHAT TO DO:\n", wrapped(reason.advice, 4));
}

Json reason_document(const Reason& reason) {
  return {{"reason", reason.name},
          {"then", to_string(reason.then)},
          {"meaning", reason.means},
          {"advice", reason.advice}};
}

}  // namespace kubist::cli
