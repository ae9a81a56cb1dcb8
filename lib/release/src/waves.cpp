#include <algorithm>

#include <kubist/release/waves.hpp>

namespace kubist::release {

namespace {

/// Of the plan's; behind them all where none names the cluster.
std::size_t place_of(const Plan& plan, const std::string& cluster) {
  const auto named = [&](const std::vector<std::string>& wave) {
    return std::find(wave.begin(), wave.end(), cluster) != wave.end();
  };
  const auto found = std::find_if(plan.waves.begin(), plan.waves.end(), named);
  return static_cast<std::size_t>(found - plan.waves.begin());
}

}  // namespace

std::map<std::string, int> waves_of(const Plan& plan, const std::set<std::string>& clusters) {
  std::map<std::size_t, std::vector<std::string>> places;
  for (const std::string& cluster : clusters) {
    const std::size_t place = !plan.in_waves       ? 0
                              : plan.waves.empty() ? places.size()
                                                   : place_of(plan, cluster);
    places[place].push_back(cluster);
  }
  std::map<std::string, int> waves;
  int wave = 0;
  for (const auto& [place, members] : places) {
    for (const std::string& cluster : members) {
      waves[cluster] = wave;
    }
    ++wave;
  }
  return waves;
}

std::optional<int> weight_in(const Progress& progress, int wave) {
  if (wave <= progress.wave) {
    return is_moved(progress) ? std::optional(progress.weight) : std::nullopt;
  }
  return progress.from == 0 ? std::nullopt : std::optional(progress.from);
}

}  // namespace kubist::release
