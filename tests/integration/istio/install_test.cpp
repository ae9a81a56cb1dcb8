// `kubist istio install` of the manifests that istioctl printed, on the real cluster.
#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>

#include "installation.hpp"

using namespace istio_it;

TEST_CASE(
    "istio install: what was deleted or scaled down comes back; caBundle and failurePolicy stay") {
  ensure_installed();
  const std::string before = webhooks();
  must(kubectl("home", {"delete", "clusterrole", "istiod-clusterrole-istio-system"}));
  must(kubectl("home", {"delete", "crd", "sidecars.networking.istio.io"}));
  must(
      kubectl("home", {"label", "mutatingwebhookconfiguration", "istio-sidecar-injector", "app-"}));
  const CommandResult run = run_kubist(install());
  REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(verdict() == "healthy");
  CHECK(webhooks() == before);
  CHECK((*get("home", "mutatingwebhookconfiguration",
              "istio-sidecar-injector"))["metadata"]["labels"]["app"] == "sidecar-injector");
}

TEST_CASE("istio install: what stands in the way is told, and nothing is written") {
  ensure_installed();
  const World world("istio-refused");
  Audit audit("home");
  const auto refused = [&](const Words& args, int exit_code, const std::string& why) {
    const CommandResult run = run_kubist(world.as_user(args));
    CHECK_MESSAGE(run.exit_code == exit_code, run.out, run.err);
    CHECK_MESSAGE(run.err.find(why) != std::string::npos, run.err);
    CHECK(run.out.empty());
  };
  refused(install({"--sha256", std::string(64, '0')}), 1, "has the SHA-256 ");
  refused(install({"--version", "1.30.3"}), 1,
          "these are the manifests of Istio 1.31.0, not of 1.30.3");
  refused(install({"--revision", "canary"}), 1, "revision default, not of canary");
  const kubist::util::TempDir folder("istio-install");
  const auto cut = folder.path() / "cut.yaml";
  const auto text = kubist::util::read_file(manifest());
  REQUIRE(text);
  REQUIRE(kubist::util::write_file(cut, std::string_view(*text).substr(0, text->size() / 2)));
  refused({"istio", "install", cut}, 1, "cut.yaml");

  // As Helm leaves it: nobody else is known to have written it.
  must(kubectl("home", {"-n", k_system, "patch", "deployment", "istiod", "--type=json", "-p",
                        R"([{"op":"replace","path":"/metadata/managedFields","value":[{}]}])"}));
  const Json owned{
      {"apiVersion", "apps/v1"},
      {"kind", "Deployment"},
      {"metadata",
       {{"name", "istiod"}, {"namespace", k_system}, {"annotations", {{"by", "helm"}}}}}};
  must(
      kubectl("home", {"apply", "--server-side", "--field-manager=helm", "-f", "-"}, owned.dump()));
  refused(install(), 6, "foreign-owner:Helm");
  CHECK(audit.writes(world.user()).empty());
  const CommandResult adopted = run_kubist(install({"--adopt"}));
  CHECK_MESSAGE(adopted.exit_code == 0, adopted.out, adopted.err);
  // From then on it is kubist's.
  const CommandResult later = run_kubist(install());
  CHECK_MESSAGE(later.exit_code == 0, later.out, later.err);
}
