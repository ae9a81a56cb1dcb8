// Finalizers, one among those of others.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/writer.hpp>

#include "support/fake_cluster.hpp"

using namespace kubist;
using data::Json;
using kube::DryRun;
using testing::FakeCluster;

namespace {

const char* const k_own = "kubist.io/hold";
const char* const k_other = "example.com/hold";

/// A ConfigMap `a`, and what a writer told of it.
struct HeldObject {
  explicit HeldObject(const Json& finalizers = Json::array(), DryRun dry_run = DryRun::none)
      : writer({.dry_run = dry_run, .told = [this](const kube::Write& write) {
                  told.push_back(write.verb + ' ' + write.object + ' ' + write.detail);
                }}) {
    make(finalizers);
  }

  Json make(const Json& finalizers) {
    Json object{{"apiVersion", "v1"},
                {"kind", "ConfigMap"},
                {"metadata", {{"name", "a"}, {"namespace", "default"}}}};
    if (!finalizers.empty()) {
      object["metadata"]["finalizers"] = finalizers;
    }
    return cluster.put(object);
  }
  util::Result<std::optional<Json>> set(bool present, std::optional<Json> known = {}) {
    return writer.set_finalizer({*client}, kube::well_known::config_maps(), "default", "a", k_own,
                                present, std::move(known));
  }
  Json live() { return cluster.get("configmaps", "a", "default"); }
  Json finalizers() { return data::array_at(live(), {"metadata", "finalizers"}); }
  /// As somebody else sets them, not in the log.
  void overwrite(const Json& finalizers) {
    cluster.patch("configmaps", "a", "default", kube::PatchType::merge,
                  {{"metadata", {{"finalizers", finalizers}}}});
  }
  std::size_t count(const std::string& verb) {
    const auto log = cluster.log();
    return std::count_if(log.begin(), log.end(),
                         [&](const auto& each) { return each.verb == verb; });
  }

  FakeCluster cluster;
  std::shared_ptr<kube::Client> client = cluster.connect();
  std::vector<std::string> told;
  kube::Writer writer;
};

}  // namespace

TEST_CASE("writer: a finalizer comes where there was none, and is told") {
  HeldObject held;
  const auto after = held.set(true);
  REQUIRE(after);
  REQUIRE(*after);
  CHECK(**after == held.live());
  CHECK(held.finalizers() == Json::array({k_own}));
  CHECK(held.told == std::vector<std::string>{"patch v1 ConfigMap/default/a finalizer"});
}

TEST_CASE("writer: a finalizer comes beside another and goes from beside it") {
  HeldObject held(Json::array({k_other}));
  REQUIRE(held.set(true));
  CHECK(held.finalizers() == Json::array({k_other, k_own}));
  REQUIRE(held.set(false));
  CHECK(held.finalizers() == Json::array({k_other}));
  held.overwrite({k_own, k_other});
  REQUIRE(held.set(false));
  CHECK(held.finalizers() == Json::array({k_other}));
}

TEST_CASE("writer: a finalizer that stands there twice goes twice") {
  HeldObject held;
  held.overwrite({k_own, k_other, k_own});
  REQUIRE(held.set(false));
  CHECK(held.finalizers() == Json::array({k_other}));
}

TEST_CASE("writer: a finalizer that is as wanted is no request where the object is known") {
  HeldObject held(Json::array({k_own}));
  CHECK(held.set(true, held.live()));
  held.overwrite(nullptr);
  const auto without = held.set(false, held.live());
  REQUIRE(without);
  CHECK(**without == held.live());
  CHECK(held.cluster.log().empty());
  CHECK(held.told.empty());
}

TEST_CASE("writer: an object that is known is not read again") {
  HeldObject held;
  REQUIRE(held.set(true, held.live()));
  CHECK(held.finalizers() == Json::array({k_own}));
  CHECK(held.count("get") == 0);
}

TEST_CASE("writer: a finalizer on what changed since is tried again, and what came stays") {
  HeldObject held;
  const Json before = held.live();
  held.overwrite({k_other});
  REQUIRE(held.set(true, before));
  CHECK(held.finalizers() == Json::array({k_other, k_own}));
  CHECK(held.count("get") == 1);

  const Json both = held.live();
  held.overwrite({k_own, k_other});  // not where it was
  REQUIRE(held.set(false, both));
  CHECK(held.finalizers() == Json::array({k_other}));
}

TEST_CASE("writer: a finalizer is given up after five tries") {
  HeldObject held;
  int turn = 0;
  held.cluster.before(
      "PATCH *", [&] { held.overwrite({k_other + std::to_string(++turn)}); }, 100);
  const auto after = held.set(true);
  REQUIRE_FALSE(after);
  CHECK(after.error().http_status == 422);
  CHECK(held.count("patch") == 5);
  CHECK(held.told.empty());
}

TEST_CASE("writer: what is being deleted gets no finalizer, but loses one") {
  HeldObject held(Json::array({k_other}));
  held.cluster.remove("configmaps", "a", "default");
  const auto after = held.set(true);
  REQUIRE(after);
  CHECK(**after == held.live());
  CHECK(held.finalizers() == Json::array({k_other}));
  CHECK(held.count("patch") == 0);

  HeldObject going(Json::array({k_own}));
  going.cluster.remove("configmaps", "a", "default");
  REQUIRE(going.set(false));
  CHECK(going.live().is_null());
}

TEST_CASE("writer: an object that is gone has no finalizers to set") {
  HeldObject held(Json::array({k_own}));
  const Json before = held.live();
  held.overwrite(nullptr);
  held.cluster.remove("configmaps", "a", "default");
  const auto read = held.set(true);
  REQUIRE(read);
  CHECK_FALSE(*read);
  const auto known = held.set(false, before);
  REQUIRE(known);
  CHECK_FALSE(*known);
  CHECK(held.told.empty());
}

TEST_CASE("writer: another object under the name of the known one keeps its finalizers") {
  HeldObject held(Json::array({k_own}));
  const Json before = held.live();
  held.overwrite(nullptr);
  held.cluster.remove("configmaps", "a", "default");
  held.make({k_own});
  const auto after = held.set(false, before);
  REQUIRE(after);
  CHECK_FALSE(*after);
  CHECK(held.finalizers() == Json::array({k_own}));
  CHECK(held.told.empty());
}

TEST_CASE("writer: dry runs of a finalizer tell, and change nothing") {
  for (const DryRun mode : {DryRun::client, DryRun::server}) {
    HeldObject held(Json::array(), mode);
    const auto after = held.set(true);
    REQUIRE(after);
    CHECK(*after);
    CHECK(held.finalizers().empty());
    CHECK(held.told == std::vector<std::string>{"patch v1 ConfigMap/default/a finalizer"});
    CHECK(held.cluster.writes().empty());
    CHECK(held.count("patch") == (mode == DryRun::server ? 1U : 0U));
  }
}
