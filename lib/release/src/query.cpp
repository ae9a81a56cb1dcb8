#include <algorithm>

#include <kubist/release/query.hpp>

namespace kubist::release {

std::optional<engine::WorkloadQuery> read_workload_query(std::string_view name) {
  const std::string_view version = name.substr(0, name.find('.'));
  const std::string_view number = name.substr(std::min(version.size() + 1, name.size()));
  const auto& known = k_workload_numbers;
  if ((version != "canary" && version != "stable") ||
      std::find(known.begin(), known.end(), number) == known.end()) {
    return std::nullopt;
  }
  return engine::WorkloadQuery{std::string(version), std::string(number)};
}

engine::Query read_query(std::string text) {
  if (text == "release") {
    return engine::WindowQuery{};
  }
  if (auto workload = read_workload_query(text)) {
    return *std::move(workload);
  }
  return engine::PromqlQuery{std::move(text)};
}

}  // namespace kubist::release
