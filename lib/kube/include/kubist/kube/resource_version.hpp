#pragma once
#include <string_view>

namespace kubist::kube {

/// Is the first resourceVersion of an object a newer one than the second? Versions of one resource
/// compare as numbers (KEP-5504, Comparable Resource Version). Where they are none: yes, unless
/// they are the same.
bool is_newer(std::string_view version, std::string_view than);

}  // namespace kubist::kube
