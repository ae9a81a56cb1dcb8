// What the Writer asks before, keeps back in dry runs, and says after.
#include <atomic>
#include <thread>

#include "kube/writer_support.hpp"

using namespace writer_test;
using util::ErrorKind;

namespace {

/// One write of each kind, of objects "new", "made", "old" and "going"; what came of each.
std::vector<util::Result<>> write_each(const Desk& desk) {
  const kube::Writer writer = desk.writer();
  const auto outcome = [](const auto& result) {
    return result ? util::Result<>() : util::Result<>(util::fail(result.error()));
  };
  return {outcome(writer.apply(desk.to(), config_maps(), config_map("new"))),
          outcome(writer.create(desk.to(), config_maps(), config_map("made"))),
          outcome(patch_value(desk, "old", "2")),
          outcome(writer.remove(desk.to(), config_maps(), "default", "going"))};
}

const Lines k_each_told{
    "create v1 ConfigMap/default/new @far", "create v1 ConfigMap/default/made @far",
    "patch v1 ConfigMap/default/old @far", "delete v1 ConfigMap/default/going @far"};

void prepare(Desk& desk) {
  desk.put(config_map("old"));
  desk.put(config_map("going"));
}

bool is_untouched(Desk& desk) {
  return desk.live("new").is_null() && desk.live("made").is_null() && desk.value("old") == "1" &&
         !desk.live("going").is_null();
}

}  // namespace

TEST_CASE("writer: each write asks before, has the permit, and says that it was sent") {
  Desk desk;
  prepare(desk);
  for (const auto& each : write_each(desk)) {
    CHECK_MESSAGE(each, (each ? "" : each.error().to_string()));
  }
  CHECK(desk.lines() == k_each_told);
  CHECK(desk.asked == 4);
  CHECK(desk.sent == Lines(4, "configmaps default"));
  const auto log = desk.cluster.log();
  REQUIRE(log.size() == 4);
  for (const auto& each : log) {
    CHECK_MESSAGE(each.has_permit, each.to_string());
  }
}

TEST_CASE("writer: what is asked before stops the write: nothing is sent or told") {
  Desk desk;
  prepare(desk);
  desk.refusal = util::make_error(ErrorKind::conflict, "locked by another", "", "Locked");
  for (const auto& each : write_each(desk)) {
    REQUIRE_FALSE(each);
    CHECK(each.error().reason == "Locked");
  }
  const auto held = desk.writer().set_finalizer(desk.to(), config_maps(), "default", "old", "x/y",
                                                true, desk.live("old"));
  REQUIRE_FALSE(held);
  CHECK(held.error().reason == "Locked");
  CHECK(desk.asked == 5);  // none of them twice
  CHECK(desk.cluster.log().empty());
  CHECK(desk.sent.empty());
  CHECK(desk.lines().empty());
  CHECK(is_untouched(desk));
}

TEST_CASE("writer: a client dry run sends nothing and tells all") {
  Desk desk(DryRun::client);
  prepare(desk);
  for (const auto& each : write_each(desk)) {
    CHECK(each);
  }
  CHECK(desk.cluster.log().empty());
  CHECK(desk.lines() == k_each_told);
  CHECK(desk.asked == 0);
  CHECK(desk.sent.empty());
  CHECK(*desk.writer().apply(desk.to(), config_maps(), config_map("new")) == config_map("new"));
  CHECK(*desk.writer().create(desk.to(), config_maps(), config_map("new")) == config_map("new"));
  CHECK(patch_value(desk, "old", "2")->is_null());
  CHECK(is_untouched(desk));
}

TEST_CASE("writer: a server dry run sends all as dry runs, changes nothing and tells all") {
  Desk desk(DryRun::server);
  prepare(desk);
  for (const auto& each : write_each(desk)) {
    CHECK_MESSAGE(each, (each ? "" : each.error().to_string()));
  }
  const auto log = desk.cluster.log();
  CHECK(log.size() == 4);
  for (const auto& each : log) {
    CHECK_MESSAGE(each.dry_run, each.to_string());
    CHECK_FALSE_MESSAGE(each.has_permit, each.to_string());
  }
  CHECK(desk.lines() == k_each_told);
  CHECK(desk.asked == 0);
  CHECK(desk.sent.empty());
  CHECK(is_untouched(desk));
  const auto patched = patch_value(desk, "old", "2");
  REQUIRE(patched);
  CHECK(data::string_at(*patched, {"data", "k"}) == "2");
}

TEST_CASE("writer: a server dry run goes on where the run itself would have made what is needed") {
  Desk desk(DryRun::server);
  const Json wanted = config_map("a", "1", "not-yet");
  const auto applied = desk.writer().apply(desk.to(), config_maps(), wanted);
  REQUIRE(applied);
  CHECK(*applied == wanted);
  const auto created = desk.writer().create(desk.to(), config_maps(), wanted);
  REQUIRE(created);
  CHECK(*created == wanted);
  const auto patched = patch_value(desk, "not-yet", "2");
  REQUIRE(patched);
  CHECK(patched->is_null());
  CHECK(desk.lines() == Lines{"create v1 ConfigMap/not-yet/a @far",
                              "create v1 ConfigMap/not-yet/a @far",
                              "patch v1 ConfigMap/default/not-yet @far"});
  // What was there when it was read is not made by the run.
  CHECK_FALSE(desk.writer().apply(desk.to(), config_maps(), wanted, {.live = &wanted}));
}

TEST_CASE("writer: outside of dry runs a namespace that is not there is an error") {
  Desk desk;
  const Json wanted = config_map("a", "1", "not-yet");
  CHECK_FALSE(desk.writer().apply(desk.to(), config_maps(), wanted));
  CHECK_FALSE(desk.writer().create(desk.to(), config_maps(), wanted));
  CHECK(desk.lines().empty());
}

TEST_CASE("writer: a write that failed is said to be sent, and not told") {
  Desk desk;
  prepare(desk);
  desk.cluster.fail("*", 403, 4);
  for (const auto& each : write_each(desk)) {
    REQUIRE_FALSE(each);
    CHECK(each.error().kind == ErrorKind::forbidden);
  }
  CHECK(desk.sent == Lines(4, "configmaps default"));
  CHECK(desk.lines().empty());
}

TEST_CASE("writer: threads tell one after the other, copies included") {
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> ready = 0;
  int told = 0;  // guarded by what is tested
  Desk desk(DryRun::client);
  desk.rules.told = [&](const kube::Write&) {
    const int now = ++inside;
    most = std::max(most.load(), now);
    for (int turn = 0; turn < 20; ++turn) {
      std::this_thread::yield();
    }
    ++told;
    --inside;
  };
  const kube::Writer writer = desk.writer();
  const auto work = [&](const kube::Writer copy) {
    ++ready;
    while (ready < 2) {
      std::this_thread::yield();
    }
    for (int at = 0; at < 200; ++at) {
      (void)copy.create(desk.to(), config_maps(), config_map("a"));
    }
  };
  {
    const std::jthread first(work, writer);
    const std::jthread second(work, writer);
  }
  CHECK(most == 1);
  CHECK(told == 400);
}
