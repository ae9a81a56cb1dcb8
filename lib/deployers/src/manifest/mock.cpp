#include <kubist/data/pointer.hpp>
#include <kubist/state/exports.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "item/config_check.hpp"
#include "manifest/mock_deployer.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::string_view k_mock_schema = R"({
  "type": "object",
  "properties": {
    "phase": {"type": "string", "enum": ["Init", "Progressing", "Succeeded", "Failed"]},
    "initialPhase": {"type": "string", "enum": ["Init", "Progressing", "Succeeded", "Failed"]},
    "message": {"type": "string"},
    "delay": {"type": "string"},
    "providerStatus": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    "export": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}
  }
})";

util::Result<std::chrono::milliseconds> delay_of(const Item& item) {
  const auto text = data::string_at(item.config, {"delay"}, "0");
  const auto delay = util::parse_duration(text);
  if (!delay || delay->count() < 0) {
    return util::fail(config_error(cat("config.delay \"", text, "\" is no duration such as 90s")));
  }
  return std::chrono::ceil<std::chrono::milliseconds>(*delay);
}

Progress ended(Progress::State state) {
  Progress progress;
  progress.state = state;
  progress.operation = "Mock";
  progress.reason = state == Progress::State::done ? "Succeeded" : "MockFailed";
  return progress;
}

}  // namespace

util::Result<> MockDeployer::check(const Item& item, const Settings& /*settings*/) const {
  static const data::Schema schema = config_schema(k_mock_schema);
  KUBIST_CHECK(check_config(item, schema, "mock"));
  KUBIST_CHECK(delay_of(item));
  return {};
}

util::Result<Progress> MockDeployer::advance(World& world, const Item& item, const Job& job) const {
  Progress progress = ended(Progress::State::running);
  progress.provider_status = item.config.value("providerStatus", Json::object());
  KUBIST_TRY(const auto delay, delay_of(item));
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(job.started + delay - world.clock->now());
  if (left.count() > 0) {
    progress.reason = "Delayed";
    progress.message = cat("waiting for the delay of ", data::string_at(item.config, {"delay"}));
    progress.ask_again = left;
    return progress;
  }
  const auto initial = data::string_at(item.config, {"initialPhase"}, "Succeeded");
  const auto phase = data::string_at(item.config, {"phase"}, initial);
  if (phase == "Failed") {
    progress.state = Progress::State::failed;
    progress.message = data::string_at(item.config, {"message"}, "its config says that it fails");
  } else if (phase == "Succeeded") {
    auto exports = state::parse_exports(item.config.value("export", Json::object()).dump(),
                                        "config.export", item.export_schema);
    if (!exports) {
      return util::fail(config_error(exports.error().message));
    }
    progress.state = Progress::State::done;
    progress.reason = "Succeeded";
    progress.exports = std::move(exports->bytes);
  } else {
    progress.reason = "Pending";
    progress.message = cat("its config keeps it in phase ", phase);
  }
  return progress;
}

util::Result<Progress> MockDeployer::stop(World& /*world*/, const Item& /*item*/,
                                          const Job& /*job*/) const {
  return ended(Progress::State::done);
}

Uninstall MockDeployer::uninstall(const Item& /*item*/) const {
  return {false, "runs nothing: it is a mock"};
}

const Deployer& mock_deployer() {
  static const MockDeployer deployer;
  return deployer;
}

}  // namespace kubist::deployers
