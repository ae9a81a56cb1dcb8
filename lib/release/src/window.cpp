#include <kubist/data/pointer.hpp>
#include <kubist/release/window.hpp>

namespace kubist::release {

bool is_between(const data::Json& window) {
  const std::string_view reason = data::string_at(window, {"reason"});
  return reason == "WindowOpen" || reason == "WindowBegins" || reason == "NotObserved";
}

}  // namespace kubist::release
