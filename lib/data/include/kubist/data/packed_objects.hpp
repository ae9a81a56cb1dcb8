#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

namespace kubist::data {

/// Values that nobody will look at for a while, zipped: a fiftieth of the memory where they are
/// like each other, and some 10 microseconds an object to undo. Never changed: any
/// thread may unpack it, several at once.
class PackedObjects {
 public:
  using Objects = std::vector<std::shared_ptr<const Json>>;
  explicit PackedObjects(const Objects& objects);
  /// The same, in that order. What is not UTF-8 in them has been replaced.
  Objects unpack() const;

 private:
  std::string m_zipped;  ///< the texts one after the other
  std::size_t m_size = 0;
  std::vector<std::uint32_t> m_lengths;
};

}  // namespace kubist::data
