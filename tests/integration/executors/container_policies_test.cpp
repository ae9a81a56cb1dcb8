// Policies and executors that are images: run as pods, asked once for each input.
#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "credentials.hpp"
#include "support.hpp"

namespace {

using namespace it;
using kubist::util::cat;

/// busybox by its digest, as the node knows it.
std::string image() {
  const Json nodes = Json::parse(must(kubectl("home", {"get", "nodes", "-o", "json"})));
  for (const Json& node : nodes["items"]) {
    for (const Json& image : node["status"]["images"]) {
      for (const Json& name : image["names"]) {
        if (name.get<std::string>().starts_with("localhost/busybox@sha256:")) {
          return name;
        }
      }
    }
  }
  FAIL("no node has localhost/busybox by its digest");
  return {};
}

/// Definitions whose image is busybox with a script; gone with it.
class Images {
 public:
  explicit Images(const World& world) : m_world(world) {}
  ~Images() {
    for (const auto& [kind, name] : m_made) {
      static_cast<void>(kubectl("home", {"delete", kind, name, "--wait=false"}));
    }
  }
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;

  /// The name of the new definition.
  std::string add(const std::string& name, const std::string& script, Json container = {},
                  const std::string& kind = "ClusterPolicyDefinition", Json spec = {}) {
    container["image"] = m_image;
    container["command"] = {"/bin/sh", "-c", script};
    spec["runtime"]["container"] = std::move(container);
    const std::string full = m_world.name(name);
    m_made.emplace_back(kind, full);
    put("home", {{{"apiVersion", "kubist.io/v1alpha1"},
                  {"kind", kind},
                  {"metadata", {{"name", full}}},
                  {"spec", std::move(spec)}}});
    return full;
  }

 private:
  const World& m_world;
  const std::string m_image = image();
  std::vector<std::pair<std::string, std::string>> m_made;
};

/// A virtual cluster labelled tier=`tier`, with that policy.
Json with_policy(const World& world, const std::string& name, const std::string& policy,
                 const std::string& tier = "plain") {
  return virtual_cluster(
      world.name(), name, "home", world.name(name),
      {{"labels", {{"tier", tier}}}, {"policies", Json::array({{{"name", policy}}})}});
}

/// What the test's user wrote, a line each.
std::string written(Audit& audit, const World& world) {
  std::string lines;
  for (const AuditedWrite& write : audit.writes(world.user())) {
    lines += write.to_string() + '\n';
  }
  return lines;
}

std::vector<std::string> items(const std::string& project) {
  std::vector<std::string> names;
  const Json list =
      Json::parse(must(kubectl("home", {"get", "deployitems", "-n", project, "-o", "json"})));
  for (const Json& item : list["items"]) {
    names.push_back(item["metadata"]["name"]);
  }
  return names;
}

const char* const k_gold = R"(sed 's/"tier":"plain"/"tier":"gold"/' $IMPORTS_PATH > $EXPORTS_PATH)";

}  // namespace

TEST_CASE("container policies: an image is asked once for an input, without a token") {
  World world("image");
  const std::string project = world.name();
  Images images(world);
  const std::string gold = images.add("gold", cat("test ! -e /var/run/secrets && ", k_gold));
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}})});
  must(run_kubist({"reconcile", "Project/" + project}));
  put("home", {with_policy(world, "one", gold), with_policy(world, "two", gold)});

  // A dry run starts nothing, and says so.
  const CommandResult dry = run_kubist({"reconcile", "vc/one", "-n", project, "--dry-run=server"});
  CHECK(dry.exit_code == 1);
  CHECK_MESSAGE(cat(dry.out, dry.err).find("a dry run starts no pod") != std::string::npos, dry.out,
                dry.err);
  CHECK(items(project).empty());

  must(run_kubist({"reconcile", "Project/" + project}));
  CHECK(label(world.name("one"), "tier") == "gold");
  CHECK(label(world.name("two"), "tier") == "gold");
  CHECK(items(project).size() == 2);

  // What was answered is not asked again, though the statuses have come since.
  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + project})));
  CHECK(written(audit, world) == "");
  const std::string trace =
      must(run_kubist({"policy", "trace", "vc/one", "-n", project, "-o", "json"}));
  CHECK_MESSAGE(trace.find("gold") != std::string::npos, trace);

  // Another input is.
  put("home", {with_policy(world, "one", gold, "silver")});
  must(run_kubist({"reconcile", "Project/" + project}));
  CHECK(label(world.name("one"), "tier") == "silver");
  CHECK(items(project).size() == 2);

  // Its DeployItem goes when the policy is no longer named, and with its resource.
  put("home", {virtual_cluster(project, "one", "home", world.name("one"))});
  must(run_kubist({"reconcile", "Project/" + project}));
  CHECK(items(project).size() == 1);
  must(run_kubist({"delete", "vc/two", "-n", project}));
  CHECK(eventually([&] {
    must(run_kubist({"reconcile", "Project/" + project}));
    return items(project).empty();
  }));
}

TEST_CASE("container policies: one that fails, prints rubbish or hangs fails its own node alone") {
  World world("imagebad");
  const std::string project = world.name();
  Images images(world);
  const std::string fails = images.add("fails", "echo the moon is full >&2; exit 3");
  const std::string rubbish = images.add("rubbish", "echo '{[' > $EXPORTS_PATH");
  const std::string silent = images.add("silent", "true");
  const std::string hangs = images.add("hangs", "sleep 600", {{"timeout", "5s"}});
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               with_policy(world, "fails", fails), with_policy(world, "rubbish", rubbish),
               with_policy(world, "silent", silent), with_policy(world, "hangs", hangs),
               virtual_cluster(project, "good", "home", world.name("good"))});
  const CommandResult run =
      run_kubist({"reconcile", "Project/" + project, "--timeout=60s", "--report", "json"});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  const auto said = [&](const std::string& name) {
    return message(get("home", "virtualclusters.kubist.io", name, project), "Ready");
  };
  CHECK(condition(get("home", "virtualclusters.kubist.io", "good", project), "Ready") == "True");
  for (const char* name : {"fails", "rubbish", "silent", "hangs"}) {
    CHECK_MESSAGE(said(name).starts_with(cat("policy ", world.name(name))), said(name));
    CHECK(!get("home", "namespace", world.name(name)));
  }
  CHECK_MESSAGE(run.out.find("the moon is full") != std::string::npos, run.out);
  CHECK_MESSAGE(said("silent").find("did not return a ResourceList") != std::string::npos,
                said("silent"));
}

TEST_CASE("container policies: an image as an executor says which objects shall exist") {
  World world("imageexec");
  const std::string project = world.name();
  Images images(world);
  const std::string maker = images.add("maker", R"(cat > $EXPORTS_PATH <<END
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: made}, data: {by: image}}]
END)",
                                       {}, "ExecutorDefinition");
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "dev", "home", world.name("dev")),
               object("ExternalService", project, "api",
                      {{"virtualClusterRef", {{"name", "dev"}}},
                       {"hosts", {"api.example.com"}},
                       {"ports", {{{"number", 443}, {"name", "https"}, {"protocol", "TLS"}}}},
                       {"executor", {{"name", maker}}}})});
  must(run_kubist({"reconcile", "Project/" + project}));
  const auto made = get("home", "configmap", "made", world.name("dev"));
  REQUIRE(made);
  CHECK((*made)["data"]["by"] == "image");
  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + project})));
  CHECK(written(audit, world) == "");
  // With the project all of it goes.
  must(run_kubist(as_administrator({"delete", "Project/" + project})));
  CHECK(eventually([&] { return !get("home", "namespace", project); }));
  CHECK(!get("home", "namespace", world.name("dev")));
}
