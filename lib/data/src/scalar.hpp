#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kubist::data {

enum class ScalarKind { string, null, boolean, integer, unsigned_integer, real, timestamp };

/// What a plain YAML scalar means.
struct Scalar {
  ScalarKind kind = ScalarKind::string;
  bool boolean = false;
  std::int64_t integer = 0;
  std::uint64_t unsigned_integer = 0;  ///< beyond int64 only
  double real = 0;                     ///< also NaN and infinities
  bool lossy = false;                  ///< an integer beyond uint64 that became `real`
};

/// Resolves as go-yaml v2 (sigs.k8s.io/yaml) does: YAML 1.1 booleans, 014 octal, 0x, 0b, 0o, 1_000.
Scalar resolve_plain(std::string_view text);

/// YAML 1.1 base 60 ("1:30"), which go-yaml reads as text but quotes when it writes.
bool is_base60(std::string_view text);

}  // namespace kubist::data
