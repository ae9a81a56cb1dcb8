#pragma once
#include <string>
#include <string_view>

#include <kubist/util/result.hpp>

namespace kubist::util {

/// A Kubernetes resource.Quantity in the server's canonical form: "1500m" -> "1500m", "1.5" ->
/// "1500m", "1024Mi" -> "1Gi", "1000k" -> "1M", "0.5Gi" -> "512Mi". Fails on other text.
/// Source: k8s.io/apimachinery pkg/api/resource/quantity.go (CanonicalizeBytes).
Result<std::string> canonical_quantity(std::string_view text);
/// Are the two the same number? False when either is not a quantity.
bool same_quantity(std::string_view a, std::string_view b);
/// The value as a double (1500m -> 1.5); for display and sorting only.
Result<double> quantity_value(std::string_view text);

}  // namespace kubist::util
