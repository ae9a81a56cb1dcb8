#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kubist::metrics {

/// The path of the API server that leads to a path of a Service ("[https:]NAME:PORT"). Nothing: it
/// would lead elsewhere.
std::optional<std::string> service_proxy(std::string_view ns, std::string_view service,
                                         std::string_view path);

}  // namespace kubist::metrics
