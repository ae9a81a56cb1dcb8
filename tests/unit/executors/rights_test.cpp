// As whom kubist handles what a project's objects ask for on the home cluster.
#include <algorithm>
#include <filesystem>

#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>

#include "release_site.hpp"
#include "support/variable.hpp"

using namespace site;

namespace {

constexpr const char* k_account = "system:serviceaccount:shop:kubist-project";

/// As whom each write to objects of that kind was sent; "" for kubist itself.
std::set<std::string> writers(const Site& s, const std::string& resource) {
  std::set<std::string> found;
  for (const LoggedRequest& request : s.home->writes()) {
    if (request.resource == resource) {
      found.insert(request.as);
    }
  }
  return found;
}

/// A manifest item with that one object, on virtual cluster `target` (empty: the project's own
/// namespace).
void put_item(Site& s, const std::string& name, const std::string& manifest,
              const std::string& target = "dev") {
  Json item =
      object("DeployItem", "shop", name,
             yaml(cat("{type: kubist.io/manifest, config: {manifests: [", manifest, "]}}")));
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  if (!target.empty()) {
    item["spec"]["target"] = {{"name", target}};
  }
  s.home->put(item);
}

/// The same, run to its end.
Json run_item(Site& s, const std::string& name, const std::string& manifest,
              const std::string& target = "dev", const executors::ReconcileOptions& options = {}) {
  put_item(s, name, manifest, target);
  const auto results =
      s.session->run_items({{"landscaper.gardener.cloud", "DeployItem", "shop", name}}, options,
                           [](const std::string&) {}, {});
  REQUIRE_MESSAGE(results, (results ? "" : results.error().to_string()));
  return s.home->get("deployitems.landscaper.gardener.cloud", name, "shop");
}

std::string map_in(const std::string& ns) {
  return cat("{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: ", ns, "}}");
}

constexpr const char* k_cluster_role =
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: x}}";

std::string item_phase(const Json& item) {
  return std::string(data::string_at(item, {"status", "phase"}));
}
std::string item_error(const Json& item) {
  return std::string(data::string_at(item, {"status", "lastError", "message"}));
}

/// A project whose Project grants much, before a caller who may not impersonate.
struct Alone : Site {
  Alone() {
    home->deny("impersonate");
    for (const char* ns : {"shop-theirs", "shop-named"}) {
      home->put(plain("Namespace", "", ns));
    }
    make_project("shop", {{"items", {{"kinds", {"ClusterRole.rbac.authorization.k8s.io"}}}},
                          {"home", {{"namespaces", {"shop-*", "shop-named"}}}}});
    virtual_cluster("shop", "dev");
    settle();
  }
  Json map(const std::string& ns) const { return home->get("configmaps", "x", ns); }
  Json role() const { return home->get("clusterroles.rbac.authorization.k8s.io", "x"); }
};

void add_route(Shop& s) {
  s.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [web.example.com]}]}");
  s.apply("TrafficRoute", "web",
          "{hosts: [web.example.com], gateways: [entry], routes: [{weights: [{destination: web, "
          "version: v1, weight: 100}]}]}");
}

}  // namespace

TEST_CASE("rights: the objects of a project are written as its account, its place by kubist") {
  Shop s;
  add_route(s);
  s.settle();
  REQUIRE_FALSE(s.live("virtualservices.networking.istio.io", "web").is_null());
  for (const char* resource : {"virtualservices", "destinationrules", "gateways", "services"}) {
    CHECK_MESSAGE(writers(s, resource) == std::set<std::string>{k_account}, resource);
  }
  for (const char* resource :
       {"namespaces", "serviceaccounts", "rolebindings", "trafficroutes", "leases"}) {
    CHECK_MESSAGE(writers(s, resource) == std::set<std::string>{""}, resource);
  }
  const Json binding = s.live("rolebindings.rbac.authorization.k8s.io", "kubist-project");
  CHECK(binding["roleRef"]["name"] == "kubist-project");
  CHECK(binding["subjects"][0]["namespace"] == "shop");
  const Json own = s.home->get("rolebindings.rbac.authorization.k8s.io", "kubist-project", "shop");
  CHECK(own["roleRef"]["name"] == "kubist-project-own");
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
}

TEST_CASE("rights: the account that a Project names is the one that is bound, and none is made") {
  Shop s;
  s.put("Project", "", "shop", {{"serviceAccountName", "ci"}});
  add_route(s);
  s.forget();
  s.settle();
  CHECK(writers(s, "virtualservices") == std::set<std::string>{"system:serviceaccount:shop:ci"});
  CHECK(s.live("rolebindings.rbac.authorization.k8s.io", "kubist-project")["subjects"][0]["name"] ==
        "ci");
}

TEST_CASE("rights: who may not impersonate acts with its own rights, and the run says so") {
  Site s;
  s.home->deny("impersonate");
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  const executors::Run run = s.run();
  CHECK(run.report.summary.failed == 0);
  CHECK(writers(s, "rolebindings").empty());
  CHECK(writers(s, "serviceaccounts").empty());
  CHECK(std::count(run.warnings.begin(), run.warnings.end(),
                   "Project shop: its objects are handled with your own rights, since you may not "
                   "impersonate its ServiceAccount; they end at its namespaces") == 1);
}

TEST_CASE("rights: the caller's own rights end at the project's namespaces") {
  Alone s;
  for (const char* ns : {"shop", "shop-dev", "shop-named"}) {
    const Json item = run_item(s, cat("in-", ns), map_in(ns));
    CHECK_MESSAGE(item_phase(item) == "Succeeded", item_error(item));
    CHECK_FALSE(s.map(ns).is_null());
  }
  // A pattern of the Project's is enough for what kubist made, and no more.
  const Json theirs = run_item(s, "theirs", map_in("shop-theirs"));
  CHECK(item_phase(theirs) == "Failed");
  CHECK_MESSAGE(item_error(theirs).find("kubist uses the caller's own rights for Project shop, and "
                                        "only in the project's namespaces") != std::string::npos,
                item_error(theirs));
  CHECK_MESSAGE(item_error(theirs).find("--own-rights") != std::string::npos, item_error(theirs));
  CHECK(s.map("shop-theirs").is_null());
  // The Project allows the kind: whose rights are used for it is another matter.
  for (const char* target : {"dev", ""}) {
    const Json role = run_item(s, cat("role", target), k_cluster_role, target);
    CHECK(item_phase(role) == "Failed");
    CHECK_MESSAGE(
        item_error(role).find("clusterroles.rbac.authorization.k8s.io x") != std::string::npos,
        item_error(role));
  }
  CHECK(s.role().is_null());
}

TEST_CASE("rights: a virtual cluster that does not exist yet leads to no other namespace") {
  for (const bool may_impersonate : {false, true}) {
    Alone s;
    if (may_impersonate) {
      s.home->allow("impersonate");
    }
    s.virtual_cluster("shop", "ghost", {{"create", false}});
    s.settle();
    s.forget();
    run_item(s, "theirs", map_in("shop-theirs"), "ghost");
    run_item(s, "role", k_cluster_role, "ghost");
    for (const char* resource : {"configmaps", "clusterroles"}) {
      CHECK_MESSAGE(writers(s, resource) == (may_impersonate ? std::set<std::string>{k_account}
                                                             : std::set<std::string>{}),
                    resource);
    }
  }
}

TEST_CASE("rights: the caller's own rights are of no use in what a pattern of the Project adopts") {
  Alone s;
  s.home->put(plain("Namespace", "", "shop-old"));
  s.virtual_cluster("shop", "old", {{"adopt", true}});
  s.settle();
  CHECK(condition(s.vc("shop", "old"), "Stalled") == "True");
  CHECK(reason(s.vc("shop", "old")) == "OwnRights");
  CHECK_MESSAGE(message(s.vc("shop", "old")).find("--own-rights") != std::string::npos,
                message(s.vc("shop", "old")));
  run_item(s, "old", map_in("shop-old"), "old");
  CHECK(s.map("shop-old").is_null());
}

TEST_CASE("rights: with --own-rights they do not end there") {
  Alone s;
  executors::ReconcileOptions options;
  options.own_rights = true;
  const Json theirs = run_item(s, "theirs", map_in("shop-theirs"), "dev", options);
  CHECK_MESSAGE(item_phase(theirs) == "Succeeded", item_error(theirs));
  const Json role = run_item(s, "role", k_cluster_role, "dev", options);
  CHECK_MESSAGE(item_phase(role) == "Succeeded", item_error(role));
  CHECK_FALSE(s.role().is_null());
  // What else limits a project stays.
  const Json foreign = run_item(s, "foreign", map_in("default"), "dev", options);
  CHECK(item_phase(foreign) == "Failed");
  CHECK(s.map("default").is_null());
  const auto lines = s.run(options).warnings;
  CHECK(std::count(lines.begin(), lines.end(),
                   "Project shop: its objects are handled with your own rights, since you may not "
                   "impersonate its ServiceAccount; by --own-rights also outside of its "
                   "namespaces") == 1);
}

TEST_CASE("rights: whoever is impersonated by --as lends them no further") {
  Alone s;
  s.home->allow("impersonate");
  s.session =
      executors::Session::open(s.home->connect(s.network)->as("boss"), s.session_options(), {})
          .value();
  const Json theirs = run_item(s, "theirs", map_in("shop-theirs"));
  CHECK_MESSAGE(item_error(theirs).find("kubist uses the caller's own rights for Project shop") !=
                    std::string::npos,
                item_error(theirs));
  const auto lines = s.run({}).warnings;
  CHECK(std::count(lines.begin(), lines.end(),
                   "Project shop: its objects are handled with the rights of boss, whom you "
                   "impersonate; they end at its namespaces") == 1);
  CHECK(s.map("shop-theirs").is_null());
  run_item(s, "dev", map_in("shop-dev"));
  CHECK(writers(s, "configmaps") == std::set<std::string>{"boss"});
}

namespace {

constexpr const char* k_grant =
    "system:serviceaccount:shop:kubist-project may not patch "
    "clusterroles.rbac.authorization.k8s.io x: An administrator grants it: kubectl create "
    "clusterrole kubist-project-clusterroles --verb=get,create,patch "
    "--resource=clusterroles.rbac.authorization.k8s.io && kubectl create clusterrolebinding "
    "kubist-project-clusterroles --clusterrole=kubist-project-clusterroles "
    "--serviceaccount=shop:kubist-project";

}  // namespace

TEST_CASE("rights: a server dry run lists the writes that the project's account is denied") {
  // As an earlier kubist left it: the account has no binding, and may do nothing.
  for (const bool is_bound : {false, true}) {
    CAPTURE(is_bound);
    Site s;
    s.make_project("shop", {{"items", {{"kinds", {"ClusterRole.rbac.authorization.k8s.io"}}}}});
    s.virtual_cluster("shop", "dev");
    s.settle();
    if (!is_bound) {
      for (const char* ns : {"shop", "shop-dev"}) {
        s.home->remove("rolebindings.rbac.authorization.k8s.io", "kubist-project", ns);
      }
    }
    s.home->judge([is_bound](const LoggedRequest& request) {
      return is_bound && request.resource != "clusterroles";
    });
    put_item(s, "map", map_in("shop-dev"));
    put_item(s, "role", k_cluster_role);
    s.forget();
    executors::ReconcileOptions options;
    options.dry_run = kube::DryRun::server;
    const executors::Run run = s.run(options);
    CHECK_MESSAGE(run.denied == std::vector<std::string>{k_grant}, util::join(run.denied, "\n"));
    CHECK(s.writes() == 0);
    const auto& node = node_of(run.report, "DeployItem", "role");
    const auto& writes = node.writes;
    REQUIRE_MESSAGE(writes.size() == 1, node.reason, ": ", node.message);
    CHECK(writes[0].object == "rbac.authorization.k8s.io/v1 ClusterRole/x");
    CHECK(node_of(run.report, "DeployItem", "map").writes.size() == 1);
  }
}

TEST_CASE("rights: a server dry run lists what a chart would write and may not") {
  // In place of helm: what an archive has is what its chart is rendered to.
  const util::TempDir folder;
  const auto program = folder.path() / "helm";
  REQUIRE(util::write_file(program, "#!/bin/sh\nexec /bin/cat chart.tgz\n"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const testing::Variable helm("KUBIST_HELM", program.string());
  Site s;
  s.make_project("shop", {{"items", {{"kinds", {"ClusterRole.rbac.authorization.k8s.io"}}}}});
  s.virtual_cluster("shop", "dev");
  s.settle();
  s.home->judge([](const LoggedRequest& request) { return request.resource != "clusterroles"; });
  Json item = object("DeployItem", "shop", "web",
                     yaml("{type: kubist.io/helm, target: {name: dev}, config: {}}"));
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  const std::string chart = cat("---\n", k_cluster_role, "\n---\n", map_in("shop-dev"));
  item["spec"]["config"]["chart"]["archive"]["raw"] = util::base64_encode(chart);
  s.home->put(item);
  s.forget();
  executors::ReconcileOptions options;
  options.dry_run = kube::DryRun::server;
  const executors::Run run = s.run(options);
  const auto& node = node_of(run.report, "DeployItem", "web");
  CHECK_MESSAGE(run.denied == std::vector<std::string>{k_grant}, node.reason, ": ", node.message);
  CHECK_MESSAGE(node.writes.size() == 2, node.reason, ": ", node.message);
  CHECK(s.writes() == 0);
}

TEST_CASE("rights: a dry run asks for nothing with the caller's rights that is no dry run") {
  Shop s;
  add_route(s);
  s.settle();
  s.home->judge([](const LoggedRequest&) { return false; });
  s.apply("TrafficRoute", "web",
          "{hosts: [web.example.com], routes: [{weights: [{destination: web, "
          "version: v2, weight: 100}]}]}");
  s.forget();
  executors::ReconcileOptions options;
  options.dry_run = kube::DryRun::server;
  s.run(options);
  std::size_t looks = 0;
  for (const LoggedRequest& request : s.home->log()) {
    CHECK_MESSAGE((request.dry_run || request.verb == "get" || request.verb == "list" ||
                   request.resource.find("review") != std::string::npos),
                  request.to_string());
    if (request.resource == "pods" && request.ns == "shop-dev") {
      CHECK_MESSAGE(request.as == k_account, request.to_string());
      ++looks;
    }
  }
  CHECK(looks > 0);
}

namespace {

/// A project that had the right to make the ClusterRole `x`, by its item `role`, and has it no
/// more.
struct Former : Site {
  Former() {
    make_project("shop", {{"items", {{"kinds", {"ClusterRole.rbac.authorization.k8s.io"}}}}});
    virtual_cluster("shop", "dev");
    settle();
    run_item(*this, "role", cat(k_cluster_role, ", ", map_in("shop-dev")));
    REQUIRE_FALSE(role().is_null());
    home->judge([](const LoggedRequest& request) { return request.resource != "clusterroles"; });
    forget();
  }
  Json role() const { return home->get("clusterroles.rbac.authorization.k8s.io", "x"); }
  /// Its item without the role, run once.
  Json prune(bool own_rights) {
    executors::ReconcileOptions options;
    options.own_rights = own_rights;
    return run_item(*this, "role", map_in("shop-dev"), "dev", options);
  }
};

}  // namespace

TEST_CASE("rights: what an inventory has is deleted as the project, or with --own-rights") {
  Former s;
  const Json denied = s.prune(false);
  CHECK(item_phase(denied) != "Succeeded");
  const std::string said = denied["status"].dump();
  CHECK_MESSAGE(
      said.find("An administrator grants it: kubectl create clusterrole") != std::string::npos,
      said);
  CHECK_MESSAGE(said.find("Or --own-rights deletes it with your own.") != std::string::npos, said);
  CHECK_FALSE(s.role().is_null());
  CHECK(writers(s, "clusterroles").empty());

  const Json pruned = s.prune(true);
  CHECK_MESSAGE(item_phase(pruned) == "Succeeded", item_error(pruned));
  CHECK(s.role().is_null());
  CHECK(writers(s, "clusterroles") == std::set<std::string>{""});
  CHECK(writers(s, "configmaps") == std::set<std::string>{});  // unchanged
}

TEST_CASE("rights: with --own-rights only what kubist marked as the item's own is deleted") {
  const auto with_entry = [](Former& s, const Json& resource) {
    s.home->patch("deployitems.landscaper.gardener.cloud", "role", "shop", kube::PatchType::merge,
                  {{"status",
                    {{"providerStatus",
                      {{"managedResources",
                        Json::array({{{"policy", "manage"}, {"resource", resource}}})}}}}}},
                  "status");
  };
  Json foreign = plain("ClusterRole", "", "foreign");
  foreign["apiVersion"] = "rbac.authorization.k8s.io/v1";
  {
    Former s;  // a member writes the item's status
    s.home->put(foreign);
    with_entry(s, {{"apiVersion", "rbac.authorization.k8s.io/v1"},
                   {"kind", "ClusterRole"},
                   {"name", "foreign"}});
    s.prune(true);
    CHECK_FALSE(s.home->get("clusterroles.rbac.authorization.k8s.io", "foreign").is_null());
  }
  {
    Former s;  // made again since
    s.home->remove("clusterroles.rbac.authorization.k8s.io", "x");
    foreign["metadata"]["name"] = "x";
    s.home->put(foreign);
    s.prune(true);
    CHECK_FALSE(s.role().is_null());
  }
}

TEST_CASE("rights: --own-rights makes nothing that the project's account may not") {
  Former s;
  executors::ReconcileOptions options;
  options.own_rights = true;
  Json more = yaml(k_cluster_role);
  more["metadata"]["name"] = "y";
  run_item(s, "more", more.dump(), "dev", options);
  CHECK(writers(s, "clusterroles").empty());
}

TEST_CASE("rights: a question that fails is no answer") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  s.home->fail("POST */selfsubjectaccessreviews*", 500, 100);
  const auto report = s.reconcile();
  CHECK(report.summary.ready < 4);
  CHECK(writers(s, "rolebindings").count("") == 1);  // the project's own, before
  CHECK(s.home->get("rolebindings.rbac.authorization.k8s.io", "kubist-project", "shop-dev")
            .is_null());
}
