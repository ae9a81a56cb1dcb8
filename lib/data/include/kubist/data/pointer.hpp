#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

/// JSON pointers (RFC 6901) and quick access to nested values.
namespace kubist::data {

/// Appends "/token" (escaped) or "/index".
void append_token(std::string& pointer, std::string_view token);
void append_token(std::string& pointer, std::size_t index);
/// The unescaped tokens of "/a/b~1c"; "" has none. Errors: invalid (no leading '/', bad '~').
util::Result<std::vector<std::string>> split_pointer(std::string_view pointer);
/// The pointer of some tokens.
std::string join_pointer(const std::vector<std::string>& tokens);
/// "/spec/items/0/name" as people write it: "spec.items[0].name".
std::string dotted_path(std::string_view pointer);

/// The value there, or nullptr. List indices are decimal without leading zeros.
const Json* find(const Json& root, std::string_view pointer);
Json* find(Json& root, std::string_view pointer);
/// The value at a path of object keys, or nullptr: find_path(object, {"metadata", "name"}).
const Json* find_path(const Json& root, std::initializer_list<std::string_view> keys);
Json* find_path(Json& root, std::initializer_list<std::string_view> keys);
/// The string, number or bool at a path of object keys; `fallback` where it is missing or of
/// another type. string_at's view lives as long as `root`.
std::string_view string_at(const Json& root, std::initializer_list<std::string_view> keys,
                           std::string_view fallback = {});
std::int64_t int_at(const Json& root, std::initializer_list<std::string_view> keys,
                    std::int64_t fallback = 0);
/// A count, which may come from anybody: int_at() between `least` and a million.
int count_at(const Json& root, std::initializer_list<std::string_view> keys, int least = 0);
double number_at(const Json& root, std::initializer_list<std::string_view> keys,
                 double fallback = 0);
bool bool_at(const Json& root, std::initializer_list<std::string_view> keys, bool fallback = false);
/// The array at a path of object keys, to loop over; an empty one where there is none.
const Json& array_at(const Json& root, std::initializer_list<std::string_view> keys);
/// The object at a path of object keys; an empty one where there is none.
const Json& object_at(const Json& root, std::initializer_list<std::string_view> keys);
/// The strings in that array; what is none is left out.
std::vector<std::string> strings_at(const Json& root, std::initializer_list<std::string_view> keys);
/// Sets the value at a path of object keys, making the objects on the way. A value on the way that
/// is not an object is replaced by one.
void set_path(Json& root, std::initializer_list<std::string_view> keys, Json value);
/// Removes the key at the end of a path; true when it was there.
bool erase_path(Json& root, std::initializer_list<std::string_view> keys);
/// Puts what `change` makes of it in the place of each string, but not of the objects' keys.
void change_strings(Json& value, const std::function<std::string(const std::string&)>& change);

}  // namespace kubist::data
