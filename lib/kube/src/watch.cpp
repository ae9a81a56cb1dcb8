#include <kubist/data/document.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/util/clock.hpp>

#include "watch_turns.hpp"

namespace kubist::kube {

util::Result<data::Json> WatchEvent::json() const {
  return data::parse_json(object, "watch event");
}

util::Result<> watch(Client& client, const WatchOptions& options, const WatchHandler& handler,
                     std::stop_token stop) {
  WatchTurns turns(client, options, handler, stop);
  const auto turn = [&]() -> util::Result<> {
    if (turns.lists()) {
      return turns.list();
    }
    auto outcome = http::stream(
        client.transport(), turns.begin(),
        [&](std::string_view bytes) { return turns.feed(bytes); }, stop);
    return turns.end(std::move(outcome));
  };
  while (!stop.stop_requested()) {
    KUBIST_TRY(const auto pause, turns.pause_after(turn()));
    util::sleep_for(pause, stop);
  }
  return {};
}

}  // namespace kubist::kube
