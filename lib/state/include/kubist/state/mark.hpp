#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::state {

/// What the sidecar of one job did, for whoever waits for it: annotation k_mark_annotation of the
/// export Secret, written in the same update as the exports and after the state.
struct Mark {
  std::string job;
  std::string exports_sha256;  ///< of the Secret's key k_export_key; empty when error is set
  std::string exports_error;   ///< why the exports were refused, with line and column; or empty
  std::int64_t state_generation = 0;
  std::string state_error;  ///< why the state was not saved (the old one stays); or empty
  bool operator==(const Mark&) const = default;
};

std::string to_text(const Mark& mark);
/// Invalid: not a mark.
util::Result<Mark> parse_mark(std::string_view text);
/// The mark on a Secret, if it has one that can be read.
std::optional<Mark> mark_of(const data::Json& secret);

}  // namespace kubist::state
