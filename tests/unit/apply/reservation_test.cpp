// What a run keeps of live objects takes the room of its project.
#include <doctest/doctest.h>

#include <kubist/apply/owned.hpp>
#include <kubist/apply/read.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/kube/room.hpp>

#include "support/fake_cluster.hpp"
#include "support/sent_writes.hpp"
#include "support/widgets.hpp"

using namespace kubist;
using data::Json;
using testing::map_named;

namespace {

constexpr std::size_t k_object = 60'000;

/// Three ConfigMaps, and a project that has room for one of them left.
struct FullProject {
  FullProject() {
    for (const char* name : {"a", "b", "c"}) {
      Json map = map_named(name);
      map["data"] = {{"key", std::string(k_object, 'x')}};
      objects.push_back(std::move(map));
    }
    REQUIRE(apply().ok());
    REQUIRE(others.take(kube::room_of_answers().most() - 2 * k_object));
    sent->take();
  }
  apply::Report apply() {
    std::vector<resources::Manifest> manifests(objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      manifests[i].object = objects[i];
    }
    return apply::apply_set(*client, manifests, options);
  }

  testing::FakeCluster cluster;
  std::shared_ptr<testing::SentWrites> sent = std::make_shared<testing::SentWrites>(cluster);
  std::shared_ptr<kube::Client> client = cluster.connect(sent);
  std::vector<Json> objects;
  apply::Options options;
  kube::Reservation others{"shop"};
};

bool is_too_large(const util::Error& error) { return error.reason == http::k_failure_too_large; }

}  // namespace

TEST_CASE("reservation: a set for which there is no room is not written") {
  FullProject p;
  p.options.keep_objects = true;
  for (Json& object : p.objects) {
    object["data"]["more"] = "y";
  }
  {
    kube::Reservation own("shop");
    p.options.reservation = &own;
    const apply::Report report = p.apply();
    REQUIRE(report.errors.size() == 1);
    CHECK(is_too_large(report.errors.front()));
    CHECK(report.errors.front().message ==
          "what servers answer to the runs of project namespace shop takes more than 512 MiB of "
          "memory at once");
    CHECK(p.sent->take().empty());
  }
  kube::Reservation other("bakery");  // which has room of its own
  p.options.reservation = &other;
  const apply::Report report = p.apply();
  CHECK(report.ok());
  CHECK(p.sent->take().size() == 3);
}

TEST_CASE("reservation: answers to writes count, too") {
  FullProject p;
  kube::Reservation own("shop");
  p.options.reservation = &own;
  p.options.keep_objects = true;
  for (std::size_t i = 0; i < p.objects.size(); ++i) {
    p.objects[i]["metadata"]["name"] = "new-" + std::to_string(i);
  }
  const apply::Report report = p.apply();
  CHECK_FALSE(report.ok());
  std::size_t failed = 0;
  for (const apply::ObjectResult& result : report.results) {
    failed += result.error && is_too_large(*result.error);
  }
  CHECK(failed == 2);
}

TEST_CASE("reservation: objects that are read by name, and what is owned") {
  FullProject p;
  std::vector<apply::Lookup> lookups;
  std::vector<apply::Recorded> records;
  for (const char* name : {"a", "b", "c"}) {
    lookups.push_back({kube::well_known::config_maps(), "default", name});
    records.push_back({{"", "ConfigMap", "default", name}, "v1", ""});
  }
  {
    kube::Reservation own("shop");
    const auto read = apply::read_objects(*p.client, lookups, {}, &own);
    REQUIRE_FALSE(read);
    CHECK(is_too_large(read.error()));
  }
  {
    kube::Reservation own("shop");
    const auto found = apply::find_owned(*p.client, records, kube::Form::object, {}, &own);
    REQUIRE(found.size() == 3);
    std::size_t failed = 0;
    for (const auto& each : found) {
      failed += !each && is_too_large(each.error());
    }
    CHECK(failed == 2);
  }
  kube::Reservation other("bakery");
  CHECK(apply::read_objects(*p.client, lookups, {}, &other));
}
