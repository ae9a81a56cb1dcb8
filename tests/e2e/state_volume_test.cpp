#include <filesystem>

#include <kubist/util/fs.hpp>

#include "stage.hpp"

// State in volumes.
using namespace kubist;
using namespace kubist::deployers;
using namespace kubist::e2e;
namespace fs = std::filesystem;

namespace {

kube::ApiResource persistent_volumes() {
  return kube::make_resource("", "v1", "PersistentVolume", "persistentvolumes", false);
}

}  // namespace

TEST_CASE("state: in volumes it stays as it is; only the claim of our own goes with the item" *
          doctest::description("seed 2.9: volumes")) {
  Stage stage;
  const util::TempDir dir("kubist-volume");
  fs::permissions(dir.path(), fs::perms(0777));
  const auto make_volume = [&](const std::string& name) {
    Json volume{
        {"apiVersion", "v1"},
        {"kind", "PersistentVolume"},
        {"metadata", {{"name", stage.ns() + name}}},
        {"spec",
         {{"capacity", {{"storage", "1Gi"}}},
          {"accessModes", Json::array({"ReadWriteOnce"})},
          {"storageClassName", stage.ns() + name},
          {"persistentVolumeReclaimPolicy", "Retain"},
          {"hostPath", {{"path", (dir.path() / name).string()}, {"type", "DirectoryOrCreate"}}}}}};
    stage.make(persistent_volumes(), volume);
    return stage.ns() + name;
  };
  const std::string script =
      "n=$(cat $STATE/n 2> /dev/null || echo 0); echo $((n + 1)) > $STATE/n\n"
      "echo \"runs: $(cat $STATE/n)\" > $EXPORT_PATH; test $n -lt 1 || test ! -e $STATE/lost+found";
  const std::string own = make_volume("own");
  stage.make_item("own", script,
                  {{"config",
                    {{"state",
                      {{"backend", "PersistentVolumeClaim"},
                       {"claim", {{"size", "1Gi"}, {"storageClassName", own}}}}}}}});
  REQUIRE(stage.run("own").state == Progress::State::done);
  REQUIRE(stage.run("own", {.force = true}).state == Progress::State::done);
  CHECK(stage.secret("own-export", "config") == R"({"runs":2})");
  CHECK(util::read_file(dir.path() / "own/state/n").value_or("") == "2\n");

  const std::string given = make_volume("given");
  stage.make(kube::well_known::persistent_volume_claims(),
             {{"apiVersion", "v1"},
              {"kind", "PersistentVolumeClaim"},
              {"metadata", {{"name", "shared"}, {"namespace", stage.ns()}}},
              {"spec",
               {{"storageClassName", given},
                {"accessModes", Json::array({"ReadWriteOnce"})},
                {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}});
  const Json shared{
      {"config", {{"state", {{"backend", "PersistentVolumeClaim"}, {"claimName", "shared"}}}}}};
  stage.make_item("one", script, shared);
  stage.make_item("two", script, shared);
  REQUIRE(stage.run("one").state == Progress::State::done);
  REQUIRE(stage.run("two").state == Progress::State::done);
  CHECK(stage.secret("two-export", "config") == R"({"runs":1})");

  for (const char* name : {"own", "one", "two"}) {
    REQUIRE(home()->run(kube::remove(deploy_items(), stage.ns(), name)));
    const auto removed = remove_item(stage.world, stage.ns(), name, {.skip_uninstall = true});
    REQUIRE_MESSAGE(removed, removed.error().to_string());
    CHECK(removed->state == Progress::State::done);
  }
  const auto claims = home()->list(kube::well_known::persistent_volume_claims(), stage.ns());
  REQUIRE(claims);
  for (const Json& claim : claims->items) {
    CHECK((data::string_at(claim, {"metadata", "name"}) == "shared" ||
           !data::string_at(claim, {"metadata", "deletionTimestamp"}).empty()));
  }
  CHECK(claims->items.size() >= 1);
  CHECK(fs::exists(dir.path() / "given"));
  for (const std::string& name : {own, given}) {
    CHECK(home()->run(kube::remove(persistent_volumes(), "", name)));
  }

  stage.make_item(
      "lost", "true",
      {{"config", {{"state", {{"backend", "PersistentVolumeClaim"}, {"claimName", "gone"}}}}}});
  CHECK(stage.run("lost").reason == "ClaimNotFound");
}
