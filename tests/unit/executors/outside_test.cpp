// DeployItems of no project that nobody named: done as their account, or not at all; and shared by
// replicas as projects are.
#include "controller.hpp"
#include "session/project_share.hpp"

using namespace site;

namespace {

constexpr const char* k_items = "deployitems.landscaper.gardener.cloud";

/// Namespaces without a project, each with an item that keeps a ConfigMap.
struct Outside : Site {
  Outside() {
    home->put(plain("Namespace", "", "kubist-system"));
    for (const std::string& ns : namespaces) {
      home->put(plain("Namespace", "", ns));
      put_item(ns, "one");
    }
  }
  void put_item(const std::string& ns, const std::string& name) const {
    Json item = object("DeployItem", ns, name,
                       yaml(cat("{type: kubist.io/manifest, config: {manifests: [{apiVersion: v1, "
                                "kind: ConfigMap, metadata: {name: ",
                                name, "}}]}}")));
    item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
    home->put(item);
  }
  bool has_map(const std::string& ns, const std::string& name = "one") const {
    return !home->get("configmaps", name, ns).is_null();
  }
  bool all_have_map(const std::string& name = "one") const {
    return std::all_of(namespaces.begin(), namespaces.end(),
                       [&](const std::string& ns) { return has_map(ns, name); });
  }
  std::string holder(const std::string& ns) const {
    const Json lease = home->get("leases", "kubist", ns);
    return lease.is_null() ? "" : std::string(data::string_at(lease, {"spec", "holderIdentity"}));
  }

  const std::vector<std::string> namespaces{"t0", "t1", "t2", "t3", "t4", "t5"};
  executors::ReconcileOptions all = [] {
    executors::ReconcileOptions options;
    options.outside.all = true;
    return options;
  }();
};

}  // namespace

TEST_CASE("outside: an item that nobody named has no rights but those of its account") {
  Outside s;
  s.home->deny("impersonate");
  s.open();
  const auto report = s.reconcile(s.all);
  for (const std::string& ns : s.namespaces) {
    CHECK(!s.has_map(ns));
    const Json item = s.home->get(k_items, "one", ns);
    const std::string why = item["status"]["lastError"].value("message", "");
    CHECK_MESSAGE(why.find("system:serviceaccount:" + ns + ":default") != std::string::npos, why);
  }
  CHECK(report.summary.failed == s.namespaces.size());

  executors::ReconcileOptions named;
  named.selection = {{"landscaper.gardener.cloud", "DeployItem", "t0", "one"}};
  named.outside.named.insert(named.selection.front());
  s.reconcile(named);
  CHECK(s.has_map("t0"));
  CHECK(!s.has_map("t1"));
}

TEST_CASE("outside: replicas share the namespaces of such items as they share projects") {
  Outside s;
  Controller one(s, "one@test", {}, s.all);
  Controller two(s, "two@test", {}, s.all);
  CHECK(comes_true([&] { return s.all_have_map(); }));
  CHECK(comes_true([&] {
    return std::all_of(s.namespaces.begin(), s.namespaces.end(), [&](const std::string& ns) {
      return s.holder(ns) == executors::replica_of({"one@test", "two@test"}, ns);
    });
  }));
  s.forget();
  for (const std::string& ns : s.namespaces) {
    s.put_item(ns, "late");
  }
  CHECK(comes_true([&] { return s.all_have_map("late"); }));
  std::set<std::string> writers;
  for (const LoggedRequest& each : s.home->writes()) {
    if (each.resource == "configmaps") {
      writers.insert(each.user_agent);
      CHECK_MESSAGE(each.user_agent == s.holder(each.ns), each.to_string());
      CHECK(each.as == cat("system:serviceaccount:", each.ns, ":default"));
    }
  }
  CHECK(writers.size() == 2);
}

TEST_CASE("outside: a controller that is not told to leaves such items as they are") {
  Outside s;
  s.put("Project", "", "shop");
  Controller one(s, "one@test");
  CHECK(comes_true([&] { return condition(s.get("projects", "", "shop")) == "True"; }));
  CHECK(!s.has_map("t0"));
  CHECK(s.holder("t0").empty());
}
