#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kubist::data {

/// strconv.FormatFloat(number, 'g', -1, 64): "1e+06", "0.5", "1.0000005e+06".
std::string go_general(double number);
/// The same of a float32, which is how sigs.k8s.io/yaml prints numbers that are keys.
std::string go_general(float number);

/// A decimal number whose grammar is checked already; nothing when it is too large. Too small
/// gives 0, as in Go.
std::optional<double> parse_double(std::string_view text);

}  // namespace kubist::data
