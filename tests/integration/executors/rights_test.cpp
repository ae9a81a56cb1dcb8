// Whose rights: a run does what its caller may, and nothing under anybody else's name.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "printed_roles.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

Json rule(const std::string& group, const Words& resources, const Words& verbs,
          const Words& names = {}) {
  Json made{{"apiGroups", {group}}, {"resources", resources}, {"verbs", verbs}};
  if (!names.empty()) {
    made["resourceNames"] = names;
  }
  return made;
}

/// A ClusterRole and its binding, gone with this.
class Grant {
 public:
  Grant(std::string name, Json rules, Json subject) : m_name(std::move(name)) {
    const std::string api = "rbac.authorization.k8s.io";
    subject["apiGroup"] = subject["kind"] == "ServiceAccount" ? "" : api;
    put("home", {{{"apiVersion", api + "/v1"},
                  {"kind", "ClusterRole"},
                  {"metadata", {{"name", m_name}}},
                  {"rules", std::move(rules)}},
                 {{"apiVersion", api + "/v1"},
                  {"kind", "ClusterRoleBinding"},
                  {"metadata", {{"name", m_name}}},
                  {"roleRef", {{"apiGroup", api}, {"kind", "ClusterRole"}, {"name", m_name}}},
                  {"subjects", Json::array({std::move(subject)})}}});
  }
  ~Grant() {
    kubectl("home", {"delete", "clusterrole,clusterrolebinding", m_name, "--wait=false"});
  }
  Grant(const Grant&) = delete;
  Grant& operator=(const Grant&) = delete;

 private:
  std::string m_name;
};

Json home_cluster(const std::string& project) {
  return object("Cluster", project, "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}});
}

}  // namespace

TEST_CASE("rights: who may work on one project only does so, and leaves the others alone") {
  World world("one");
  const std::string own = world.name("own");
  const std::string other = world.name("other");
  world.make_project(own);
  world.make_project(other);
  const roles::Account account(own, {own + "-dev"});
  put("home", {home_cluster(own), home_cluster(other),
               virtual_cluster(own, "dev", "home", own + "-dev", {{"adopt", true}}),
               virtual_cluster(other, "dev", "home", other + "-dev")});
  const auto before = get("home", "projects.kubist.io", other);

  Audit audit("home");
  const CommandResult all = account.kubist({"reconcile", "--timeout=60s"});
  CHECK_MESSAGE(all.exit_code == 1, all.out, all.err);
  CHECK((all.out + all.err).find("Forbidden") != std::string::npos);
  CHECK(condition(vc(own, "dev"), "Ready") == "True");
  CHECK(condition(get("home", "projects.kubist.io", own), "TreeReady") == "True");
  CHECK(get("home", "projects.kubist.io", other) == before);
  CHECK(!get("home", "namespace", other + "-dev"));
  const auto own_writes = audit.writes(account.user());
  CHECK(own_writes.size() > 3);  // finalizers and statuses
  for (const AuditedWrite& write : own_writes) {
    CAPTURE(write.to_string());
    CHECK((write.ns.starts_with(own) || write.name.starts_with(own)));
  }
  // Alone it is no trouble at all: nothing is asked that may be refused.
  const CommandResult one = account.kubist({"reconcile", "Project/" + own});
  CHECK_MESSAGE(one.exit_code == 0, one.out, one.err);

  const CommandResult tree = account.kubist({"tree", "Project/" + own});
  CHECK_MESSAGE(tree.exit_code == 0, tree.out, tree.err);
  CHECK(tree.out.find("VirtualCluster/dev") != std::string::npos);
  const CommandResult trees = account.kubist({"tree"});
  CHECK_MESSAGE(trees.out.find("Forbidden") != std::string::npos, trees.out, trees.err);
  CHECK(trees.out.find("VirtualCluster/dev") != std::string::npos);

  // Who may read all of it, too, learns more and writes as little.
  const Grant reader(
      world.name("reader"),
      Json::array({rule("kubist.io", {"*"}, {"get", "list"}),
                   rule("landscaper.gardener.cloud", {"deployitems"}, {"get", "list"}),
                   rule("", {"namespaces"}, {"get", "list"})}),
      {{"kind", "ServiceAccount"}, {"name", "kubist"}, {"namespace", own + "-account"}});
  Audit again("home");
  const CommandResult wide = account.kubist({"reconcile", "Project/" + other, "Project/" + own});
  CHECK_MESSAGE(wide.exit_code == 1, wide.out, wide.err);
  CHECK_MESSAGE(
      (wide.out + wide.err).find("cannot lock project namespace " + other) != std::string::npos,
      wide.out, wide.err);
  CHECK(get("home", "projects.kubist.io", other) == before);
  CHECK(condition(vc(other, "dev"), "Ready").empty());
  std::size_t reads = 0;
  const auto writes = again.writes(account.user(), &reads);
  CHECK(reads > 5);
  CHECK_MESSAGE(writes.empty(), (writes.empty() ? "" : writes[0].to_string()));
}

TEST_CASE("rights: of two named projects only these are read where all may not be") {
  World world("two");
  Words selection{"reconcile"};
  for (const char* name : {"a", "b"}) {
    const std::string project = world.name(name);
    world.make_project(project);
    put("home", {home_cluster(project), virtual_cluster(project, "dev", "home", project + "-dev")});
    selection.push_back("Project/" + project);
  }
  const std::string other = world.name("other");  // no right is printed for it yet
  put("home", {object("Project", "", other, Json::object())});

  Audit audit("home");
  must(run_kubist(world.as_user(selection)));
  for (const char* name : {"a", "b"}) {
    CHECK(condition(vc(world.name(name), "dev"), "Ready") == "True");
  }
  const auto requests = audit.requests(world.user());
  CHECK(requests.size() > 20);
  for (const Json& event : requests) {
    const std::string what = roles::what(event);
    CHECK_MESSAGE(what.find(cat("/namespaces/", other)) == std::string::npos, what);
    const bool in_all = data::string_at(event, {"verb"}) == "list" &&
                        data::string_at(event, {"objectRef", "namespace"}).empty();
    CHECK_MESSAGE((in_all || data::int_at(event, {"responseStatus", "code"}) != 403), what);
  }
}

TEST_CASE("rights: the status of a DeployItem does not name who may not do what it asks for") {
  World world("named");
  const std::string project = world.name();
  world.make_project(project);
  const std::string group = world.name("group");
  const Grant some(world.name("some"),
                   Json::array({rule("kubist.io", {"*"}, {"get", "list"}),
                                rule("landscaper.gardener.cloud", {"*"}, {"*"}),
                                rule("coordination.k8s.io", {"leases"}, {"*"}),
                                rule("apiextensions.k8s.io", {"*"}, {"get"}),
                                rule("", {"namespaces"}, {"get"})}),
                   {{"kind", "Group"}, {"name", group}});
  put("home", {{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                {"kind", "DeployItem"},
                {"metadata", {{"name", "map"}, {"namespace", project}}},
                {"spec",
                 {{"type", "kubist.io/manifest"},
                  {"config",
                   {{"manifests", Json::array({{{"apiVersion", "v1"},
                                                {"kind", "ConfigMap"},
                                                {"metadata", {{"name", "map"}}}}})}}}}}}});
  // Whoever impersonates somebody already impersonates no project's account.
  const CommandResult run = run_kubist(
      {"reconcile", "deployitem/map", "-n", project, "--as", world.user(), "--as-group", group});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  const auto item = get("home", k_items, "map", project);
  REQUIRE(item);
  const std::string said = item->value("status", Json()).dump();
  CHECK_MESSAGE(said.find("the caller cannot") != std::string::npos, said);
  CHECK_MESSAGE(said.find(world.user()) == std::string::npos, said);
}

TEST_CASE("rights: --as and --as-group reach every request") {
  World world("as");
  const std::string project = world.name();
  const std::string group = world.name("group");
  const std::string front = cat("system:serviceaccount:", world.name("front"), ":front");
  must(kubectl("home", {"create", "namespace", world.name("front")}));
  must(kubectl("home", {"create", "serviceaccount", "front", "-n", world.name("front")}));
  const Grant may_impersonate(
      world.name("impersonate"),
      Json::array({rule("", {"users"}, {"impersonate"}, {world.user()}),
                   rule("", {"groups"}, {"impersonate"}, {group})}),
      {{"kind", "ServiceAccount"}, {"name", "front"}, {"namespace", world.name("front")}});
  const Grant all(world.name("all"), Json::array({rule("*", {"*"}, {"*"})}),
                  {{"kind", "Group"}, {"name", group}});
  const std::string token(kubist::util::trim(
      must(kubectl("home", {"create", "token", "front", "-n", world.name("front")}))));
  const kubist::util::TempDir folder{"rights"};
  const std::string file = folder.path() / "kubeconfig";
  REQUIRE(kubist::util::write_file(file, token_config("home", token).dump()));
  const auto as = [&](Words args, const std::string& input = {}) {
    args.insert(args.end(), {"--kubeconfig", file, "--as", world.user(), "--as-group", group});
    return run_kubist(args, input);
  };

  Audit audit("home");
  std::string yaml;
  for (const Json& each : {object("Project", "", project, Json::object()), home_cluster(project),
                           virtual_cluster(project, "dev", "home", world.name("dev"))}) {
    yaml += "---\n" + each.dump() + '\n';
  }
  must(as({"apply", "-f", "-"}, yaml));
  must(as({"reconcile", "Project/" + project}));
  must(as({"wait", "kvc/dev", "-n", project, "--for=condition=Ready", "--timeout=10s"}));
  must(as({"get", "kvc", "-n", project}));
  must(as({"tree"}));
  must(as({"delete", "-f", "-", "--timeout=100s"}, yaml));
  const auto requests = audit.requests(front);
  CHECK(requests.size() > 30);
  for (const Json& event : requests) {
    const Json groups = event.value("/impersonatedUser/groups"_json_pointer, Json::array());
    const bool in_group = std::find(groups.begin(), groups.end(), Json(group)) != groups.end();
    CHECK_MESSAGE(
        (data::string_at(event, {"impersonatedUser", "username"}) == world.user() && in_group),
        data::string_at(event, {"requestURI"}));
  }
}

TEST_CASE("rights: a dry run before an upgrade names the grants, and they are enough") {
  World world("upgrade");
  const std::string project = world.name();
  const std::string dev = world.name("dev");
  const std::string granted = world.name("class");
  world.make_project(project, {{"items", {{"kinds", {"IngressClass.networking.k8s.io"}}}}});
  const auto item = [&](const std::string& manifests) {
    Json made = object("DeployItem", project, "x",
                       yaml("{type: kubist.io/manifest, timeout: 10s, target: {name: dev}, config: "
                            "{manifests: [" +
                            manifests + "]}}"));
    made["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
    return made;
  };
  const std::string map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
  const std::string ingress_class =
      cat("{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: ", granted,
          "}, spec: {controller: example.com/none}}");
  put("home", {home_cluster(project), virtual_cluster(project, "dev", "home", dev)});
  must(run_kubist({"reconcile", "Project/" + project}));
  put("home", {item(map + ", " + ingress_class)});
  // As an earlier kubist left it, but for the objects' owner.
  for (const std::string& ns : {project, dev}) {
    must(kubectl("home", {"delete", "rolebinding", "kubist-project", "-n", ns}));
  }
  const auto reconcile = [&](Words more) {
    more.insert(more.begin(), {"reconcile", "Project/" + project, "--timeout=60s"});
    return run_kubist(world.as_user(more));
  };

  Audit audit("home");
  const CommandResult dry = reconcile({"--dry-run=server"});
  CHECK_MESSAGE(dry.exit_code == 1, dry.out, dry.err);
  CHECK(audit.writes(world.user()).empty());
  const std::string line = cat("denied: system:serviceaccount:", project,
                               ":kubist-project may not patch "
                               "ingressclasses.networking.k8s.io ",
                               granted, ": An administrator grants it: ");
  const auto at = dry.err.find(line);
  REQUIRE_MESSAGE(at != std::string::npos, dry.out, dry.err);
  CHECK(dry.err.find("denied: ", at + line.size()) == std::string::npos);
  CHECK(dry.err.find("denied: ") == at);

  // The very commands.
  const std::size_t begin = at + line.size();
  const std::string commands = dry.err.substr(begin, dry.err.find('\n', begin) - begin);
  const std::string role = "kubist-project-ingressclasses";
  const auto drop_role = [&] {
    kubectl("home", {"delete", "clusterrole,clusterrolebinding", role, "--ignore-not-found"});
  };
  drop_role();
  for (std::string command :
       kubist::util::split(kubist::util::replace_all(commands, "&&", "&"), '&')) {
    Words words = kubist::util::split(std::string(kubist::util::trim(command)), ' ');
    REQUIRE(words.front() == "kubectl");
    words.erase(words.begin());
    std::erase(words, "");
    must(kubectl("home", words));
  }
  const CommandResult run = reconcile({});
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(get("home", "ingressclass", granted));

  // The right goes, the object stays in the inventory, until the caller says so.
  drop_role();
  put("home", {item(map)});
  CHECK(eventually([&] {
    const CommandResult refused = reconcile({});
    return refused.exit_code == 1 &&
           (refused.out + refused.err).find("--own-rights") != std::string::npos;
  }));
  CHECK(get("home", "ingressclass", granted));
  const CommandResult pruned = reconcile({"--own-rights"});
  CHECK_MESSAGE(pruned.exit_code == 0, pruned.out, pruned.err);
  CHECK(!get("home", "ingressclass", granted));
}

TEST_CASE("rights: the controller's role without bind gives a project's account no rights") {
  World world("no-bind");
  const std::string project = world.name();
  const std::string ns = world.name("account");
  put("home", {kubist::testing::plain("Namespace", "", ns),
               kubist::testing::plain("ServiceAccount", ns, "kubist")});
  Json rules;
  for (const Json& printed : roles::documents(
           must(run_kubist({"init", "--controller", "--agent-image", "none", "--print"})))) {
    if (printed["kind"] == "ClusterRole" && printed["metadata"]["name"] == "kubist-controller") {
      rules = printed["rules"];
    }
  }
  const auto binds = [](const Json& each) { return each["verbs"] == Json::array({"bind"}); };
  const auto bind = std::find_if(rules.begin(), rules.end(), binds);
  REQUIRE(bind != rules.end());
  rules.erase(bind);
  const Grant grant(world.name("controller"), rules,
                    {{"kind", "ServiceAccount"}, {"name", "kubist"}, {"namespace", ns}});
  const std::string token(
      kubist::util::trim(must(kubectl("home", {"create", "token", "kubist", "-n", ns}))));
  const kubist::util::TempDir folder("no-bind");
  const std::string config = folder.path() / "kubeconfig";
  REQUIRE(kubist::util::write_file(config, token_config("home", token).dump()));

  put("home", {object("Project", "", project, Json::object())});
  const CommandResult run =
      run_kubist({"reconcile", "Project/" + project, "--timeout=60s", "--kubeconfig", config});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  const auto live = get("home", "projects.kubist.io", project);
  CHECK(condition(live, "Stalled") == "True");
  CHECK(reason(live, "Ready") == "RoleNotBound");
  CHECK_MESSAGE(message(live, "Ready").find("attempting to grant RBAC permissions not currently") !=
                    std::string::npos,
                message(live, "Ready"));
}

TEST_CASE("rights: auth can-i answers for the caller, and for a project's account") {
  World world("cani");
  const std::string project = world.name();
  make_place(world);
  must(run_kubist({"reconcile", "Project/" + project}));
  const auto ask = [&](Words question, bool of_project) {
    question.insert(question.begin(), {"auth", "can-i"});
    if (of_project) {
      question.insert(question.end(), {"--project", project});
    }
    return run_kubist(world.as_user(question));
  };
  Audit audit("home");
  const CommandResult may = ask({"create", "deployments.apps", "-n", world.name("dev")}, true);
  CHECK_MESSAGE(may.exit_code == 0, may.out, may.err);
  CHECK(may.out == "yes\n");
  const CommandResult nodes = ask({"list", "nodes"}, true);
  CHECK(nodes.exit_code == 1);
  CHECK(nodes.out == cat("no - the account system:serviceaccount:", project,
                         ":kubist-project has no role for it in the whole cluster\n"));
  CHECK(ask({"list", "projects.kubist.io"}, true).exit_code == 1);
  CHECK(ask({"list", "projects.kubist.io"}, false).out == "yes\n");
  CHECK(ask({"get", "secrets", "-n", project}, true).exit_code == 1);
  const CommandResult unknown = ask({"get", "nothings"}, true);
  CHECK_MESSAGE(unknown.exit_code != 0, unknown.out);
  CHECK(unknown.err.find("nothings") != std::string::npos);
  CHECK(audit.writes(world.user()).empty());
}

TEST_CASE("rights: the Project grants namespaces of the home cluster, and each has one owner") {
  World world("grants");
  const std::string project = world.name();
  world.make_project(project,
                     {{"home", {{"namespaces", {world.name("one"), world.name("pool-*")}}}}});
  const auto wants = [&](const std::string& name, const std::string& ns, bool adopt = false) {
    return virtual_cluster(project, name, "home", ns, {{"adopt", adopt}});
  };
  put("home", {home_cluster(project), wants("exact", world.name("one")),
               wants("pattern", world.name("pool-a")), wants("longer", world.name("one-more")),
               wants("pool", world.name("pool")), wants("standard", "default", true),
               wants("mesh", "istio-system", true), wants("system", "kube-public", true),
               wants("first", world.name("pool-b")), wants("second", world.name("pool-b"))});
  run_kubist({"reconcile", "Project/" + project});
  const CommandResult run = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  for (const char* name : {"exact", "pattern"}) {
    CHECK(condition(vc(project, name), "Ready") == "True");
  }
  for (const char* name : {"longer", "pool", "standard", "mesh", "system"}) {
    CAPTURE(name);
    CHECK(condition(vc(project, name), "Stalled") == "True");
    CHECK(reason(vc(project, name), "Ready") == "NamespaceNotAllowed");
  }
  const bool first = condition(vc(project, "first"), "Ready") == "True";
  CHECK(condition(vc(project, first ? "second" : "first"), "Stalled") == "True");
  CHECK(reason(vc(project, first ? "second" : "first"), "Ready") == "NamespaceTaken");
  CHECK(condition(vc(project, first ? "first" : "second"), "Ready") == "True");
}
