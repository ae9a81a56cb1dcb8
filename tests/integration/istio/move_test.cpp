// A canary upgrade on the real istiod: two revisions side by side, namespaces that go from one to
// the other, and the end of the old one.
#include "installation.hpp"

using namespace istio_it;

namespace {

constexpr const char* k_canary = "canary";

/// The manifests of a second control plane, as istioctl prints them, without gateways.
std::string canary_manifest(const kubist::util::TempDir& folder) {
  const auto programs = std::filesystem::path(manifest()).parent_path() / "bin";
  kubist::util::Command command;
  command.args = {
      programs / "istioctl", "manifest", "generate",   "--set", "profile=minimal",         "--set",
      "hub=localhost/istio", "--set",    "tag=1.31.0", "--set", cat("revision=", k_canary)};
  command.timeout = std::chrono::minutes(4);
  const auto printed = kubist::util::run_command(command);
  REQUIRE(printed);
  REQUIRE_MESSAGE(printed->exit_code == 0, printed->err);
  const std::string path = folder.path() / "canary.yaml";
  REQUIRE(kubist::util::write_file(path, printed->out));
  return path;
}

/// A Deployment whose pods need no right to change the node's tables, and whose proxies nobody asks
/// whether they are ready: a stock Envoy refuses a sidecar's listeners.
Json web(const std::string& ns) {
  const Json labels{{"app", "web"}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", "web"}, {"namespace", ns}}},
          {"spec",
           {{"replicas", 1},
            {"selector", {{"matchLabels", labels}}},
            {"template",
             {{"metadata",
               {{"labels", labels},
                {"annotations",
                 {{"sidecar.istio.io/interceptionMode", "NONE"},
                  {"status.sidecar.istio.io/port", "0"}}}}},
              {"spec",
               {{"terminationGracePeriodSeconds", 1},
                {"containers", Json::array({{{"name", "main"},
                                             {"image", "localhost/busybox:1"},
                                             {"command", {"sleep", "100000"}}}})}}}}}}}};
}

/// The revisions of the proxies of all pods there that stay, one a line.
std::string proxies(const std::string& ns) {
  const Json pods =
      Json::parse(must(kubectl("home", {"get", "pods", "-n", ns, "-l", "app=web", "-o", "json"})));
  std::string all;
  for (const Json& pod : pods["items"]) {
    if (!pod["metadata"].contains("deletionTimestamp")) {
      all += pod["metadata"]
                 .value("annotations", Json::object())
                 .value("istio.io/rev", std::string("none")) +
             '\n';
    }
  }
  return all;
}

Words move(const std::string& ns, const Words& more) {
  Words args{"istio", "move", ns, "--timeout", "120s"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

}  // namespace

TEST_CASE("istio move: a canary upgrade from one revision to another, and the end of the old one") {
  const kubist::util::TempDir folder("istio-move");
  ensure_installed();
  const World world("istio-move");
  const std::string& ns = world.name();
  const auto labels = [&] { return (*get("home", "namespace", ns))["metadata"]["labels"]; };
  put("home", {Json{{"apiVersion", "v1"},
                    {"kind", "Namespace"},
                    {"metadata", {{"name", ns}, {"labels", {{"istio-injection", "enabled"}}}}}}});
  REQUIRE(eventually([&] { return exists("serviceaccount", "default", ns); }));
  put("home", {web(ns)});
  must(kubectl("home", {"rollout", "status", "deployment/web", "-n", ns, "--timeout=300s"}));
  REQUIRE(proxies(ns) == "default\n");

  Audit audit("home");
  const auto refused = [&](const Words& args, const std::string& why) {
    const CommandResult run = run_kubist(world.as_user(args));
    CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
    CHECK_MESSAGE(run.err.find(why) != std::string::npos, run.err);
  };
  refused(move(ns, {"--revision", k_canary}), "no-revision:canary");
  must(run_kubist({"istio", "install", canary_manifest(folder), "--timeout", "300s"}));
  const std::string istiod = cat("deployment/istiod-", k_canary);
  must(kubectl("home", {"-n", k_system, "scale", istiod, "--replicas=0"}));
  REQUIRE(eventually(
      [&] {
        return run_kubist({"istio", "check", "--revision", k_canary, "-o", "json"})
                   .out.find("scaled-to-0") != std::string::npos;
      },
      120));
  refused(move(ns, {"--revision", k_canary}), "not-ready:canary");
  refused(move("no-such-namespace", {"--revision", "default"}), "no-namespace:");
  must(kubectl("home", {"-n", k_system, "scale", istiod, "--replicas=1"}));
  REQUIRE(eventually(
      [&] {
        return run_kubist({"istio", "check", "--revision", k_canary}).exit_code == 0;
      },
      120));
  const CommandResult dry =
      run_kubist(world.as_user(move(ns, {"--revision", k_canary, "--restart", "--dry-run"})));
  CHECK_MESSAGE(dry.exit_code == 0, dry.err);
  CHECK(dry.out == cat("namespace/", ns, " moved (dry run)\ndeployment/", ns,
                       "/web restarted (dry run)\ndeployment/", ns,
                       "/web: 1 of 1 pod has the proxy of revision default\n"));
  CHECK(audit.writes(world.user()).empty());

  // Without --restart the pods keep what they have, and the old revision is in use.
  const CommandResult moved = run_kubist(move(ns, {"--revision", k_canary}));
  CHECK_MESSAGE(moved.exit_code == 0, moved.err);
  CHECK(moved.out.find("web: 1 of 1 pod has the proxy of revision default\n") != std::string::npos);
  CHECK(labels().value("istio.io/rev", "") == k_canary);
  CHECK(!labels().contains("istio-injection"));
  CHECK(proxies(ns) == "default\n");
  refused({"istio", "uninstall"}, "proxies:1");
  refused({"istio", "uninstall", "--revision", k_canary}, cat("in-use:", ns));

  const CommandResult restarted = run_kubist(move(ns, {"--revision", k_canary, "--restart"}));
  CHECK_MESSAGE(restarted.exit_code == 0, restarted.out, restarted.err);
  CHECK(restarted.out == cat("deployment/", ns, "/web restarted\n"));
  CHECK(proxies(ns) == "canary\n");
  const CommandResult again =
      run_kubist(world.as_user(move(ns, {"--revision", k_canary, "--restart"})));
  CHECK_MESSAGE(again.exit_code == 0, again.out, again.err);
  CHECK(again.out.empty());
  CHECK(audit.writes(world.user()).empty());

  // Nobody needs the old one any more, once the old pod is gone; the new one goes on.
  REQUIRE(eventually(
      [&] {
        const auto pods =
            must(kubectl("home", {"get", "pods", "-n", ns, "-l", "app=web", "-o", "name"}));
        return kubist::util::split(pods, '\n').size() <= 2;  // a line, and what is behind it
      },
      60));
  const CommandResult retired = run_kubist(uninstall());
  CHECK_MESSAGE(retired.exit_code == 0, retired.out, retired.err);
  CHECK(!exists("deployment", "istiod", k_system));
  CHECK(exists("deployment", cat("istiod-", k_canary), k_system));
  CHECK(exists("crd", "gateways.networking.istio.io"));
  CHECK(eventually(
      [&] {
        return run_kubist({"istio", "check", "--revision", k_canary}).exit_code == 0;
      },
      60));

  kubectl("home", {"delete", "namespace", ns});
  must(run_kubist(uninstall({"--revision", k_canary, "--purge"})));
}
