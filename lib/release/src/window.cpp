#include <kubist/data/pointer.hpp>
#include <kubist/release/window.hpp>

namespace kubist::release {

bool is_between(const data::Json& window) {
  const std::string_view reason = data::string_at(window, {"reason"});
  return reason == "WindowOpen" || reason == "WindowBegins" || reason == "NotObserved";
}

data::Json no_window(std::string_view reason, std::string_view message) {
  return {{"reason", reason}, {"message", message}};
}

bool is_measured(const Progress& progress) {
  return progress.observed_at && progress.state != State::paused && !is_final(progress.state);
}

bool is_window_over(const Plan& plan, Time began, Time now) {
  constexpr double k_early = 0.8;
  return now - began >=
         std::chrono::duration<double>(k_early * static_cast<double>(plan.interval.count()));
}

}  // namespace kubist::release
