// `kubist istio diff` and `upgrade` on the real istiod: the same program under another tag.
#include <algorithm>

#include "installation.hpp"

using namespace istio_it;

namespace {

constexpr const char* k_pilot = "localhost/istio/pilot:";
constexpr const char* k_without_istio = "target1";

Words upgrade(const std::string& path) { return {"istio", "upgrade", path, "--timeout", "300s"}; }

// Makes istiod's image known under another version.
void tag_image(const kubist::util::TempDir& folder, const std::string& version) {
  const std::string tar = folder.path() / "pilot.tar";
  const std::string source = std::filesystem::path(manifest()).parent_path() / "pilot.tar";
  kubist::util::Command command;
  command.args = {
      "sh", "-c",
      cat("sed 's|", k_pilot, "1.31.0|", k_pilot, version, "|g' '", source, "' > '", tar, "' && '",
          kubist::paths::source_dir(), "/tests/cluster/cluster' images '", tar, "'")};
  command.timeout = std::chrono::minutes(6);
  const auto result = kubist::util::run_command(command);
  REQUIRE(result);
  REQUIRE_MESSAGE(result->exit_code == 0, result->err);
}

bool is_istiod(const Json& object) {
  return object.value("kind", "") == "Deployment" && object["metadata"]["name"] == "istiod";
}

Json& image_of(Json& deployment) {
  return deployment["spec"]["template"]["spec"]["containers"][0]["image"];
}

std::string of_version(const kubist::util::TempDir& folder, const std::string& version,
                       const std::vector<Json>& more = {}) {
  return changed_manifest(
      folder,
      [&](Json& object) {
        if (is_istiod(object)) {
          image_of(object) = k_pilot + version;
        }
        return true;
      },
      more);
}

Json extra() {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", "istio-extra"}, {"namespace", k_system}}}};
}

}  // namespace

TEST_CASE("istio diff: nothing after an install, and never a write") {
  const World world("istio-diff");
  Audit without_istio(k_without_istio);
  const Words diff{"istio", "diff", manifest()};
  const CommandResult all =
      run_kubist(world.as_user_on(k_without_istio, {"istio", "diff", manifest()}));
  CHECK_MESSAGE(all.exit_code == 1, all.err);
  CHECK(all.out.find("+++ MERGED/apps.v1.Deployment.istio-system.istiod") != std::string::npos);
  std::size_t reads = 0;
  CHECK(without_istio.writes(world.user(), &reads).empty());
  CHECK(reads > 5);

  ensure_installed();
  Audit audit("home");
  const std::string before = webhooks();
  const CommandResult none = run_kubist(world.as_user(diff));
  CHECK_MESSAGE(none.exit_code == 0, none.out, none.err);
  CHECK(none.out.empty());
  const kubist::util::TempDir folder("istio-diff");
  const CommandResult some =
      run_kubist(world.as_user({"istio", "diff", of_version(folder, "1.32.0")}));
  CHECK_MESSAGE(some.exit_code == 1, some.err);
  CHECK(some.out.find("1.32.0") != std::string::npos);
  CHECK(some.out.find("caBundle") == std::string::npos);
  CHECK(some.out.find("failurePolicy") == std::string::npos);
  CHECK(run_kubist({"istio", "diff", folder.path() / "none.yaml"}).exit_code == 70);
  CHECK(audit.writes(world.user()).empty());
  CHECK(webhooks() == before);
}

TEST_CASE("istio upgrade: one minor version up and down; what is no longer in it goes") {
  const kubist::util::TempDir folder("istio-upgrade");
  tag_image(folder, "1.32.0");
  ensure_installed();
  const std::string before = webhooks();
  const CommandResult up = run_kubist(upgrade(of_version(folder, "1.32.0", {extra()})));
  REQUIRE_MESSAGE(up.exit_code == 0, up.out, up.err);
  auto istiod = get("home", "deployment", "istiod", k_system);
  REQUIRE(istiod);
  CHECK(image_of(*istiod) == cat(k_pilot, "1.32.0"));
  CHECK(exists("configmap", "istio-extra", k_system));
  CHECK(exists("configmap", "istio-ca-root-cert", k_system));

  const CommandResult shown = run_kubist({"istio", "diff", manifest()});
  CHECK(shown.exit_code == 1);
  CHECK(shown.out.find("--- LIVE/v1.ConfigMap.istio-system.istio-extra") != std::string::npos);
  const CommandResult down = run_kubist(upgrade(manifest()));
  REQUIRE_MESSAGE(down.exit_code == 0, down.out, down.err);
  CHECK(down.out.find("configmap/istio-extra pruned\n") != std::string::npos);
  CHECK(!exists("configmap", "istio-extra", k_system));
  CHECK(exists("configmap", "istio-ca-root-cert", k_system));
  CHECK(exists("secret", "istio-ca-secret", k_system));
  CHECK(webhooks() == before);
  const World world("istio-upgraded");
  Audit audit("home");
  must(run_kubist(world.as_user(upgrade(manifest()))));
  CHECK(audit.writes(world.user()).empty());
}

TEST_CASE("istio upgrade: what Kubernetes or Istio cannot do is refused before the first write") {
  const kubist::util::TempDir folder("istio-upgrade");
  const World world("istio-not-upgraded");
  Audit audit("home");
  Audit without_istio(k_without_istio);
  const auto refused_on = [&](const std::string& cluster, const std::string& path,
                              const std::string& why) {
    const CommandResult run = run_kubist(world.as_user_on(cluster, upgrade(path)));
    CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
    CHECK_MESSAGE(run.err.find(why) != std::string::npos, run.err);
  };
  const auto refused = [&](const std::string& path, const std::string& why) {
    refused_on("home", path, why);
  };
  ensure_installed();
  refused(of_version(folder, "1.33.0"), "version-jump");
  refused(of_version(folder, "1.29.0"), "version-jump");
  const auto named = [](const Json& object, const char* kind, const char* name) {
    return object.value("kind", "") == kind && object["metadata"]["name"] == name;
  };
  refused(changed_manifest(
              folder,
              [&](Json& object) {
                if (named(object, "CustomResourceDefinition", "gateways.networking.istio.io")) {
                  Json& versions = object["spec"]["versions"];
                  versions.erase(
                      std::remove_if(versions.begin(), versions.end(),
                                     [](const Json& each) { return each["storage"] == true; }),
                      versions.end());
                  versions[0]["storage"] = true;
                }
                return true;
              }),
          "stored-version:gateways.networking.istio.io");
  refused(changed_manifest(folder,
                           [&](Json& object) {
                             if (named(object, "Deployment", "istio-ingressgateway")) {
                               object["spec"]["selector"]["matchLabels"]["more"] = "x";
                             }
                             return true;
                           }),
          "selector-changed:Deployment/istio-ingressgateway");
  refused(changed_manifest(folder,
                           [&](Json& object) {
                             if (named(object, "RoleBinding", "istiod")) {
                               object["roleRef"]["name"] = "other";
                             }
                             return true;
                           }),
          "role-changed:RoleBinding/istiod");
  CHECK(audit.writes(world.user()).empty());
  refused_on(k_without_istio, manifest(), "not-installed");
  std::size_t reads = 0;
  CHECK(without_istio.writes(world.user(), &reads).empty());
  CHECK(reads > 5);
}
