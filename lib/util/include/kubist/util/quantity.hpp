#pragma once
#include <string_view>

#include <kubist/util/result.hpp>

namespace kubist::util {

/// Are two Kubernetes resource.Quantities the same number, as "0.5Gi" and "512Mi" are? False when
/// either is none. Source: k8s.io/apimachinery pkg/api/resource/quantity.go.
bool same_quantity(std::string_view a, std::string_view b);
/// The value as a double (1500m -> 1.5); for display and sorting only. Invalid: it is none.
Result<double> quantity_value(std::string_view text);

}  // namespace kubist::util
