#include "reference/schema_lines.hpp"

#include <algorithm>
#include <tuple>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "reference/markdown.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

constexpr std::size_t k_long_pattern = 60;

std::string type_word(const Json& schema, bool several) {
  const auto type = data::string_at(schema, {"type"});
  if (data::bool_at(schema, {"x-kubernetes-int-or-string"})) {
    return several ? "numbers or texts" : "number or text";
  }
  if (type == "array") {
    static const Json none = Json::object();
    const Json* items = data::find_path(schema, {"items"});
    return cat(several ? "lists" : "list", " of ",
               type_word(items == nullptr ? none : *items, true));
  }
  if (type == "object") {
    const Json* values = data::find_path(schema, {"additionalProperties"});
    return values != nullptr && values->is_object()
               ? cat(several ? "maps" : "map", " of ", type_word(*values, true))
               : std::string(several ? "objects" : "object");
  }
  const std::string_view word = type == "integer"   ? "integer"
                                : type == "number"  ? "number"
                                : type == "boolean" ? "boolean"
                                : type == "string"  ? "text"
                                                    : "any value";
  return cat(word, several ? "s" : "");
}

std::string range(const Json& schema, const char* least, const char* most, std::string_view unit) {
  const Json* low = data::find_path(schema, {least});
  const Json* high = data::find_path(schema, {most});
  if (low == nullptr && high == nullptr) {
    return {};
  }
  if (high == nullptr && !unit.empty() && *low == 1) {
    return "not empty";
  }
  return cat(low == nullptr    ? "at most "
             : high == nullptr ? "at least "
                               : "",
             low == nullptr    ? high->dump()
             : high == nullptr ? low->dump()
                               : cat(low->dump(), " to ", high->dump()),
             unit);
}

}  // namespace

std::string schema_words(const Json& schema) {
  std::vector<std::string> parts{type_word(schema, false)};
  std::vector<std::string> choices;
  for (const Json& value : data::array_at(schema, {"enum"})) {
    choices.push_back(md_code(value.is_string() ? value.get<std::string>() : value.dump()));
  }
  if (!choices.empty()) {
    parts.push_back(cat("one of ", util::join(choices, ", ")));
  }
  for (const auto& [least, most, unit] :
       {std::tuple("minimum", "maximum", ""), std::tuple("minLength", "maxLength", " characters"),
        std::tuple("minItems", "maxItems", " entries"),
        std::tuple("minProperties", "maxProperties", " entries")}) {
    parts.push_back(range(schema, least, most, unit));
  }
  const std::string pattern(data::string_at(schema, {"pattern"}));
  if (!pattern.empty() && pattern.size() <= k_long_pattern) {
    parts.push_back(cat("as ", md_code(pattern)));
  }
  if (data::string_at(schema, {"x-kubernetes-list-type"}) == "set") {
    parts.emplace_back("each once");
  }
  if (const Json* initial = data::find_path(schema, {"default"})) {
    parts.push_back(cat(
        "default ", md_code(initial->is_string() ? initial->get<std::string>() : initial->dump())));
  }
  std::erase(parts, "");
  return util::join(parts, ", ");
}

const Json* fields_below(const Json& schema) {
  for (const char* way : {"items", "additionalProperties"}) {
    const Json* inner = data::find_path(schema, {way});
    if (inner != nullptr && inner->is_object()) {
      return fields_below(*inner);
    }
  }
  const Json* fields = data::find_path(schema, {"properties"});
  return fields != nullptr && !fields->empty() ? &schema : nullptr;
}

std::string field_lines(const Json& schema,
                        const std::function<std::string(const std::string&)>& link) {
  const Json& required = data::array_at(schema, {"required"});
  std::string text;
  for (const auto& [name, field] : data::object_at(schema, {"properties"}).items()) {
    const bool needed = std::find(required.begin(), required.end(), name) != required.end();
    const std::string below = fields_below(field) == nullptr ? std::string() : link(name);
    const std::string shown =
        below.empty() ? md_code(name) : cat('[', md_code(name), "](", below, ')');
    text += md_paragraph("- ",
                         cat(shown, " (", schema_words(field), needed ? ", required" : "", "). ",
                             md_text(data::string_at(field, {"description"}, "No description."))),
                         2);
  }
  return text;
}

}  // namespace kubist::cli
