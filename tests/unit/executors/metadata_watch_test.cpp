// Which writes of what runs read are told.
#include "session/metadata_watch.hpp"

#include <doctest/doctest.h>

#include <kubist/util/duration.hpp>

#include "session/watches.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_cluster.hpp"

using namespace kubist;
using data::Json;
using namespace std::chrono_literals;

TEST_CASE("metadata watch: a late first listing tells what was written since it was made") {
  testing::FakeClock clock;
  testing::FakeCluster cluster;
  const auto plant = [&](const std::string& name, std::chrono::minutes age) {
    const Json written{{"manager", "kubectl"},     {"operation", "Update"},
                       {"apiVersion", "v1"},       {"time", util::format_time(clock.now() - age)},
                       {"fieldsType", "FieldsV1"}, {"fieldsV1", {{"f:data", Json::object()}}}};
    cluster.plant(
        {{"apiVersion", "v1"},
         {"kind", "Secret"},
         {"metadata", {{"name", name}, {"namespace", "default"}, {"managedFields", {written}}}}});
  };
  cluster.before("GET *secrets?*limit=*", [&] {  // the right came four minutes later
    clock.advance(4min);
    plant("a-old", 10min);
    plant("b-before", 5min);
    plant("c-after", 3min);
  });
  kube::WatchOptions options;
  options.resource = kube::well_known::secrets();
  options.ns = "default";
  executors::Absences absences;
  executors::Inbox inbox;
  const executors::MetadataWatch watch(
      cluster.connect(), options, executors::MetadataWatch::Counts::data, "secrets", nullptr,
      absences,
      [&](const std::string& ns, const std::string& name) {
        inbox.push({"", "Secret", ns, name}, engine::Cause::drift);
      },
      clock);
  std::vector<std::string> told;
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (told.size() < 2 && std::chrono::steady_clock::now() < until) {
    for (const auto& [key, cause] : inbox.take(until, {})) {
      told.push_back(key.name);
    }
  }
  CHECK(told == std::vector<std::string>{"b-before", "c-after"});
}

TEST_CASE("metadata watch: a name that no API server lets in is passed over") {
  testing::FakeCluster cluster;
  for (const std::string& name : {std::string(kube::k_longest_name + 1, 'a'), std::string("b")}) {
    cluster.plant({{"apiVersion", "v1"},
                   {"kind", "Secret"},
                   {"metadata", {{"name", name}, {"namespace", "default"}}}});
  }
  kube::WatchOptions options;
  options.resource = kube::well_known::secrets();
  executors::Absences absences;
  executors::Inbox inbox;
  const executors::MetadataWatch watch(
      cluster.connect(), options, executors::MetadataWatch::Counts::data, "secrets", nullptr,
      absences, [&](const std::string& ns, const std::string& name) {
        inbox.push({"", "Secret", ns, name}, engine::Cause::drift);
      });
  const auto events = inbox.take(std::chrono::steady_clock::now() + 10s, {});
  REQUIRE(!events.empty());
  CHECK(events.front().first.name == "b");
}
