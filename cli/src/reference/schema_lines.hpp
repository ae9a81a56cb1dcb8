#pragma once
#include <functional>
#include <string>

#include <kubist/data/json.hpp>

namespace kubist::cli {

/// What a value must be by its schema, in words: "list of text, 1 to 32 entries, each once".
std::string schema_words(const data::Json& schema);
/// The fields of an object's schema, a list item each with type, default, limits and description.
/// `link`: of a field with fields of its own, where they are described; may give nothing.
std::string field_lines(const data::Json& schema,
                        const std::function<std::string(const std::string&)>& link);
/// The schema whose fields a field has: of a list those of its entries, of a map those of its
/// values; nullptr where it has none.
const data::Json* fields_below(const data::Json& schema);

}  // namespace kubist::cli
