#pragma once
#include <string_view>

namespace kubist::executors {

/// Namespaces of the home cluster that no project may own or use: default, istio-system, kube-*.
bool is_reserved_namespace(std::string_view ns);

}  // namespace kubist::executors
