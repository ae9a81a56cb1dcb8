#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/jsonpath.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// The value that an object is sorted by; nothing where it lacks the field.
using SortKey = std::optional<data::Json>;

/// kubectl's --sort-by: numbers by value, strings as quantities where both are, else byte by byte;
/// objects without the field come first.
class Sorter {
 public:
  static util::Result<Sorter> make(std::string_view path);
  util::Result<SortKey> key(const data::Json& object) const;
  /// The indices of the keys in order; equal ones stay as they are. invalid: none has the field.
  util::Result<std::vector<std::size_t>> order(const std::vector<const SortKey*>& keys) const;

 private:
  explicit Sorter(data::JsonPath path) : m_path(std::move(path)) {}
  data::JsonPath m_path;
};

}  // namespace kubist::cli
