#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <kubist/util/error.hpp>

namespace kubist::data {

/// A place in a text, both from 1; line 0 means unknown. Columns count characters, not bytes.
struct Mark {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const Mark&) const = default;
};

/// Which end of `key: value` a position is wanted for; the same place for list items and the root.
enum class At { value, key };

/// Where the node behind a JSON pointer ("/spec/items/0/name", "" for the root) stands. Pointers
/// that the text does not have (defaults, merged keys) give the nearest parent that it has.
using PositionLookup = std::function<util::SourcePos(std::string_view pointer, At at)>;

/// Every node of one document with its marks: built when first asked for, since only an error
/// needs it. Immutable afterwards; copies share the index. Safe from many threads once built.
class PositionIndex {
 public:
  PositionIndex();
  util::SourcePos find(std::string_view pointer, At at = At::value) const;
  /// The number of nodes indexed.
  std::size_t size() const;

  struct Impl;
  explicit PositionIndex(std::shared_ptr<const Impl> impl);

 private:
  std::shared_ptr<const Impl> m_impl;
};

}  // namespace kubist::data
