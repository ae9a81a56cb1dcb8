// DeployItems in namespaces that no project owns: run where somebody asks for it, with the rights
// of an account of theirs.
#include <csignal>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "replicas.hpp"
#include "support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

/// A namespace of no project, and what a test does in it.
class Outside {
 public:
  explicit Outside(const std::string& test) : world(test) {
    put("home", {kubist::testing::plain("Namespace", "", ns())});
    REQUIRE(
        eventually([&] { return get("home", "serviceaccounts", "default", ns()).has_value(); }));
  }
  std::string ns() const { return world.name(); }
  std::string user(const std::string& account) const {
    return cat("system:serviceaccount:", ns(), ':', account);
  }
  /// A manifest item that keeps a ConfigMap of its name, with that value.
  Json item(const std::string& name, const std::string& value, const Json& more = {}) const {
    Json made{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
              {"kind", "DeployItem"},
              {"metadata", {{"name", name}, {"namespace", ns()}}},
              {"spec",
               {{"type", "manifest"},
                {"config",
                 {{"manifests", Json::array({{{"apiVersion", "v1"},
                                              {"kind", "ConfigMap"},
                                              {"metadata", {{"name", name}}},
                                              {"data", {{"value", value}}}}})}}}}}};
    made["spec"].update(more.is_null() ? Json::object() : more);
    return made;
  }
  /// Lets an account keep ConfigMaps.
  void grant(const std::string& account) const {
    const Json rules =
        Json::array({{{"apiGroups", {""}},
                      {"resources", {"configmaps"}},
                      {"verbs", {"get", "list", "watch", "create", "patch", "delete"}}}});
    put("home", granted(ns(), "maps-" + account, rules, ns(), account));
  }
  CommandResult run(Words args, const std::string& input = {}) const {
    args.insert(args.begin(), "reconcile");
    return run_kubist(world.as_user(args), input);
  }
  CommandResult run_named(const std::string& name) const {
    return run({"deployitem/" + name, "-n", ns(), "--timeout=60s"});
  }
  std::string value(const std::string& name) const {
    const auto map = get("home", "configmap", name, ns());
    return map ? std::string(data::string_at(*map, {"data", "value"})) : "";
  }
  std::string ready(const std::string& name) const {
    return condition(get("home", k_items, name, ns()), "Ready");
  }
  /// Who wrote, of these kinds.
  std::set<std::string> writers(Audit& audit, const std::string& kind) const {
    std::set<std::string> users;
    for (const AuditedWrite& write : audit.writes(world.user())) {
      if (write.resource == kind) {
        users.insert(write.user);
      }
    }
    return users;
  }

  World world;
};

}  // namespace

TEST_CASE("outside: a whole run leaves such items alone and says so; who names one has it run") {
  Outside outside("outside");
  put("home", {outside.item("one", "a"), outside.item("two", "b")});
  const CommandResult whole = outside.run({"--timeout=60s"});
  CHECK_MESSAGE(whole.err.find("DeployItems of no project were not run, in ") != std::string::npos,
                whole.err);
  CHECK_MESSAGE(whole.err.find(cat(outside.ns(), " (2)")) != std::string::npos, whole.err);
  CHECK(outside.ready("one") == "");

  // Without rights it says whose, and which command gives them.
  const CommandResult refused = outside.run_named("one");
  CHECK(refused.exit_code == 1);
  const std::string why = message(get("home", k_items, "one", outside.ns()), "Ready");
  CHECK_MESSAGE(why.find(outside.user("default")) != std::string::npos, why);
  CHECK_MESSAGE((refused.out + refused.err).find("create rolebinding") != std::string::npos,
                refused.out, refused.err);
  CHECK(outside.value("one") == "");

  outside.grant("default");
  {
    Audit audit("home");
    must(outside.run_named("one"));
    CHECK(outside.writers(audit, "configmaps") == std::set{outside.user("default")});
    CHECK(outside.writers(audit, "deployitems") == std::set{outside.world.user()});
  }
  CHECK(outside.value("one") == "a");
  CHECK(outside.ready("one") == "True");
  CHECK(outside.ready("two") == "");
  Audit second("home");
  must(outside.run_named("one"));
  CHECK(second.writes(outside.world.user()).empty());

  must(outside.run({"-f", "-"}, outside.item("three", "c").dump()));
  CHECK(outside.value("three") == "c");
  CHECK(outside.ready("two") == "");
  static_cast<void>(outside.run({"--all-namespaces", "--timeout=60s"}));  // others may fail
  CHECK(outside.ready("two") == "True");
  CHECK(outside.run({"--all-namespaces", "deployitem/one"}).exit_code == 64);

  Audit removal("home");
  must(run_kubist(
      outside.world.as_user({"delete", "deployitem", "one", "-n", outside.ns(), "--timeout=60s"})));
  CHECK(!get("home", "configmap", "one", outside.ns()));
  CHECK(outside.writers(removal, "configmaps") == std::set{outside.user("default")});
}

TEST_CASE("outside: the account that an item names is the limit of all that it asks for") {
  Outside outside("outside-account");
  put("home", {kubist::testing::plain("ServiceAccount", outside.ns(), "tool"),
               secret(outside.ns(), "secret", "hidden")});
  outside.grant("tool");
  put("home", {outside.item("mine", "a", {{"serviceAccountName", "tool"}})});
  Audit audit("home");
  must(outside.run_named("mine"));
  CHECK(outside.value("mine") == "a");
  CHECK(outside.writers(audit, "configmaps") == std::set{outside.user("tool")});

  // Its import, another namespace, a name that is none.
  const std::string far = outside.world.name("far");
  put("home", {kubist::testing::plain("Namespace", "", far)});
  Json reader = outside.item("reader", "a", {{"serviceAccountName", "tool"}});
  reader["spec"]["type"] = "script";
  reader["spec"]["config"] = {{"image", "localhost/busybox:1"}, {"script", "cat $IMPORTS_PATH"}};
  reader["spec"]["import"] = {{"secretRef", {{"name", "secret"}, {"key", "value"}}}};
  Json climber = outside.item("climber", "a", {{"serviceAccountName", "tool"}});
  climber["spec"]["config"]["manifests"][0]["metadata"]["namespace"] = far;
  const Json odd = outside.item("odd", "a", {{"serviceAccountName", "a:b"}});
  put("home", {reader, climber, odd});
  for (const char* name : {"reader", "climber", "odd"}) {
    CAPTURE(name);
    const CommandResult run = outside.run_named(name);
    CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
    CHECK(outside.value(name) == "");
  }
  CHECK(!get("home", "configmap", "climber", far));
  const std::string no_secret = message(get("home", k_items, "reader", outside.ns()), "Ready");
  CHECK_MESSAGE(no_secret.find(cat("\"", outside.user("tool"),
                                   "\" cannot get resource \"secrets\"")) != std::string::npos,
                no_secret);
}

TEST_CASE("outside: one that never ran can be deleted, and one in a namespace that goes") {
  Outside outside("outside-gone");
  put("home", {outside.item("never", "a")});
  const auto remove = [&](const char* name) {
    return run_kubist(
        outside.world.as_user({"delete", "deployitem", name, "-n", outside.ns(), "--timeout=60s"}));
  };
  must(remove("never"));
  CHECK(!get("home", k_items, "never", outside.ns()));

  outside.grant("default");
  put("home", {outside.item("kept", "a")});
  must(outside.run_named("kept"));
  it::remove("home", "namespaces", outside.ns());
  const auto has_role = [&] {
    return get("home", "rolebindings", "maps-default", outside.ns()).has_value();
  };
  REQUIRE(eventually([&] { return !has_role(); }));
  must(remove("kept"));
  CHECK(eventually([&] { return !get("home", "namespaces", outside.ns()); }, 60));
}

TEST_CASE("outside: one that is labelled as a function's is not tidied with the caller's rights") {
  Outside outside("outside-function");
  Json item = outside.item("one", "a");
  item["metadata"]["labels"] = {{"kubist.io/function", "x"}};
  put("home", {item, kubist::testing::plain("ServiceAccount", outside.ns(), "tool")});
  Audit audit("home");
  static_cast<void>(outside.run_named("one"));
  for (const AuditedWrite& write : audit.writes(outside.world.user())) {
    CAPTURE(write.to_string());
    const bool own = write.resource == "deployitems" || write.resource == "leases";
    CHECK((own || write.user == outside.user("default")));
  }
}

TEST_CASE("outside: a watch on a named item follows it") {
  Outside outside("outside-watch");
  outside.grant("default");
  put("home", {outside.item("one", "a"), outside.item("two", "a")});
  Background watch(
      outside.world.as_user({"reconcile", "deployitem/one", "-n", outside.ns(), "--watch"}));
  CHECK_MESSAGE(eventually([&] { return outside.value("one") == "a"; }), watch.output());
  put("home", {outside.item("two", "b"), outside.item("one", "b")});
  CHECK_MESSAGE(eventually([&] { return outside.value("one") == "b"; }), watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
  CHECK(outside.value("two") == "");
}

TEST_CASE("outside: an item of a project names no account") {
  World world("outside-project");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                {"kind", "DeployItem"},
                {"metadata", {{"name", "one"}, {"namespace", project}}},
                {"spec", {{"type", "kubist.io/mock"}, {"serviceAccountName", "default"}}}}});
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=60s"}));
  CHECK(run.exit_code == 1);
  CHECK_MESSAGE(run.out.find("spec.serviceAccountName: what items of Project " + project) !=
                    std::string::npos,
                run.out, run.err);
}

TEST_CASE("outside: replicas that are told to share such namespaces, and act as their accounts") {
  Outside outside("outside-share");
  const std::vector<std::string> namespaces{outside.ns(), outside.world.name("b"),
                                            outside.world.name("c"), outside.world.name("d")};
  for (const std::string& ns : namespaces) {
    put("home", {kubist::testing::plain("Namespace", "", ns)});
    const Json rules = Json::array({{{"apiGroups", {""}},
                                     {"resources", {"configmaps"}},
                                     {"verbs", {"get", "list", "watch", "create", "patch"}}}});
    put("home", granted(ns, "maps", rules, ns, "default"));
  }
  Replicas replicas("outside-replicas");
  for (const char* name : {"one", "two"}) {
    replicas.start(name, nullptr, {"--all-namespaces"});
  }
  replicas.know_each_other();  // or the first one there takes all, and gives up its half later
  Audit audit("home");
  for (const std::string& ns : namespaces) {
    Json item = outside.item("late", "a");
    item["metadata"]["namespace"] = ns;
    put("home", {item});
  }
  REQUIRE_MESSAGE(eventually(
                      [&] {
                        return std::all_of(
                            namespaces.begin(), namespaces.end(), [](const std::string& ns) {
                              return condition(get("home", k_items, "late", ns), "Ready") == "True";
                            });
                      },
                      60),
                  replicas.output());
  std::map<std::string, std::set<std::string>> writers;  // of the items, by namespace
  for (const char* name : {"one", "two"}) {
    for (const AuditedWrite& write : audit.writes(replicas.user(name))) {
      if (write.resource == "deployitems") {
        writers[write.ns].insert(name);
      } else if (write.resource == "configmaps") {
        CHECK(write.user == cat("system:serviceaccount:", write.ns, ":default"));
      }
    }
  }
  for (const std::string& ns : namespaces) {
    CHECK_MESSAGE(writers[ns] == std::set<std::string>{replicas.holder(ns)}, ns, '\n',
                  replicas.output());
  }
}
