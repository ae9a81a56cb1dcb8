#include <doctest/doctest.h>

#include <kubist/deployers/deployer.hpp>

using namespace kubist;
using namespace kubist::deployers;
using namespace std::chrono_literals;

namespace {

Item mock_item(Json config, Json schema = nullptr) {
  Json spec{{"type", "landscaper.gardener.cloud/mock"}, {"config", std::move(config)}};
  if (!schema.is_null()) {
    spec["exportSchema"] = std::move(schema);
  }
  return parse_item({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                     {"kind", "DeployItem"},
                     {"metadata", {{"name", "m"}, {"namespace", "demo"}, {"uid", "1-2"}}},
                     {"spec", std::move(spec)}})
      .value();
}

const Deployer& mock() { return *find_deployer("kubist.io/mock", {}); }

Progress advance(const Item& item, Job job = {}) {
  World world;
  job.started = std::chrono::system_clock::now();
  auto progress = mock().advance(world, item, job);
  REQUIRE_MESSAGE(progress, progress.error().to_string());
  return *progress;
}

}  // namespace

TEST_CASE("mock: succeeds with its exports and provider status") {
  const Item item = mock_item({{"apiVersion", "mock.deployer.landscaper.gardener.cloud/v1alpha1"},
                               {"kind", "ProviderConfiguration"},
                               {"phase", "Succeeded"},
                               {"providerStatus", {{"seen", true}}},
                               {"export", {{"b", 1}, {"a", {{"c", "x"}}}}}});
  CHECK(mock().check(item, {}));
  const Progress progress = advance(item);
  CHECK(progress.state == Progress::State::done);
  CHECK(progress.exports == R"({"a":{"c":"x"},"b":1})");
  CHECK(progress.provider_status == Json{{"seen", true}});
  CHECK(advance(mock_item(Json::object())).exports == "{}");
}

TEST_CASE("mock: fails with the message that it was given") {
  const Progress progress = advance(mock_item({{"phase", "Failed"}, {"message", "no luck"}}));
  CHECK(progress.state == Progress::State::failed);
  CHECK(progress.reason == "MockFailed");
  CHECK(progress.message == "no luck");
  CHECK(advance(mock_item({{"initialPhase", "Failed"}})).state == Progress::State::failed);
}

TEST_CASE("mock: a delay runs, and so does a phase that is not final") {
  const Progress delayed = advance(mock_item({{"delay", "1m"}}));
  CHECK(delayed.state == Progress::State::running);
  REQUIRE(delayed.ask_again);
  CHECK(*delayed.ask_again > 50s);
  CHECK(*delayed.ask_again <= 60s);
  const Progress forever = advance(mock_item({{"phase", "Progressing"}}));
  CHECK(forever.state == Progress::State::running);
  CHECK_FALSE(forever.ask_again);
}

TEST_CASE("mock: is removed at once, whatever its config") {
  CHECK_FALSE(mock().uninstall(mock_item({{"phase", "Failed"}, {"delay", "1h"}})).needed);
}

TEST_CASE("mock: bad configs are refused") {
  const auto message = [](const Item& item) {
    const auto checked = mock().check(item, {});
    REQUIRE_FALSE(checked);
    CHECK(checked.error().reason == "InvalidConfiguration");
    return checked.error().to_string();
  };
  CHECK(message(mock_item({{"fase", "Failed"}})).find("phase") != std::string::npos);
  CHECK(message(mock_item({{"delay", "soon"}})).find("soon") != std::string::npos);
  CHECK(message(mock_item({{"apiVersion", "helm.deployer.landscaper.gardener.cloud/v1alpha1"},
                           {"kind", "ProviderConfiguration"}}))
            .find("helm.deployer") != std::string::npos);
  World world;
  const auto progress = mock().advance(
      world,
      mock_item({{"export", {{"n", "x"}}}},
                {{"type", "object"}, {"properties", {{"n", {{"type", "integer"}}}}}}),
      {});
  REQUIRE_FALSE(progress);
  CHECK(progress.error().message.find("n") != std::string::npos);
}
