#pragma once
#include <string_view>

#include <kubist/apply/compare.hpp>
#include <kubist/data/json.hpp>

namespace kubist::apply {

/// Where a value stands, as far as the server's normal form depends on it.
struct ValuePlace {
  bool built_in = true;     ///< the server keeps it as a Go type
  bool quantities = false;  ///< below a field whose values are resource quantities
  bool base64 = false;      ///< Secret data
};

/// The place of a child.
ValuePlace below(ValuePlace place, std::string_view key);

/// Is the value one that an omitted field has in Go: null, "", 0, false, or an empty list or map?
bool is_zero(const data::Json& value);
/// null or an empty list or map.
bool is_empty(const data::Json& value);

/// Is `live` (null: absent) what the server makes of `input`, as a whole (atomic) value at `key`?
Verdict same_value(const data::Json& input, const data::Json* live, std::string_view key,
                   ValuePlace place);

}  // namespace kubist::apply
