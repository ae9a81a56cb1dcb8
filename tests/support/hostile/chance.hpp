#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace kubist::testing {

/// What decides; the same seed decides the same everywhere.
class Chance {
 public:
  explicit Chance(std::uint32_t seed) : m_engine(seed) {}
  /// From 0, below `end`.
  std::size_t below(std::size_t end) { return m_engine() % end; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  bool percent(std::size_t share) { return below(100) < share; }
  const std::string& of(const std::vector<std::string>& words) {
    return words[below(words.size())];
  }

 private:
  std::mt19937 m_engine;
};

}  // namespace kubist::testing
