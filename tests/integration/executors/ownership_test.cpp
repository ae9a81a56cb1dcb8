// Who owns what: field managers, marks, the inventory, and what happens when they disagree.
#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

/// "manager operation [subresource]" of whoever owns the field, by its managedFields path.
std::vector<std::string> owners(const std::string& type, const std::string& name,
                                const std::string& ns, const std::string& pointer) {
  Words args{"get", type, name, "-o", "json", "--show-managed-fields"};
  if (!ns.empty()) {
    args.insert(args.end(), {"-n", ns});
  }
  const Json object = Json::parse(must(kubectl("home", args)));
  std::vector<std::string> found;
  for (const Json& entry : object["metadata"]["managedFields"]) {
    if (entry["fieldsV1"].contains(Json::json_pointer(pointer))) {
      const std::string sub = entry.value("subresource", "");
      found.push_back(cat(entry.value("manager", ""), ' ', entry.value("operation", ""),
                          sub.empty() ? "" : " " + sub));
    }
  }
  return found;
}

std::string mark_of(const std::string& kind, const std::string& ns, const std::string& name) {
  const auto system = get("home", "namespace", "kube-system");
  return cat(data::string_at(*system, {"metadata", "uid"}), '/', kind, '/', ns, '/', name);
}

std::string manager_of(const std::string& mark) {
  return "kubist-" + kubist::util::sha256_hex(mark).substr(0, 10);
}

std::string yaml_of(const std::vector<Json>& objects) {
  std::string text;
  for (const Json& each : objects) {
    text += "---\n" + each.dump() + '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("ownership: each writer has its own field manager, so applying again strips nothing") {
  World world("fields");
  const std::string project = world.name();
  const auto [config, user] = world.token_kubeconfig("target1");
  const std::string yaml =
      yaml_of({object("Project", "", project, {{"labels", {{"team", "a"}}}}),
               secret(project, "far", config), object("Cluster", project, "home", {{"home", true}}),
               object("Cluster", project, "far", {{"kubeconfigSecretRef", {{"name", "far"}}}}),
               virtual_cluster(project, "dev", "home", world.name("dev")),
               virtual_cluster(project, "test", "home", world.name("test"))});
  must(run_kubist({"apply", "-f", "-"}, yaml));
  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + project})));

  using All = std::vector<std::string>;
  for (const auto& [type, name, ns] :
       {std::tuple{"projects.kubist.io", project, std::string()},
        std::tuple{"clusters.kubist.io", std::string("far"), project},
        std::tuple{"virtualclusters.kubist.io", std::string("dev"), project}}) {
    CAPTURE(type);
    CHECK(owners(type, name, ns, "/f:spec") == All{"kubist Apply"});
    CHECK(owners(type, name, ns, "/f:metadata/f:finalizers") == All{"kubist-status Update"});
    CHECK(owners(type, name, ns, "/f:status") == All{"kubist-status Update status"});
    const auto live = get("home", type, name, ns);
    CHECK((*live)["metadata"]["finalizers"] == Json::array({"kubist.io/finalizer"}));
    CHECK_FALSE((*live)["metadata"].contains("ownerReferences"));
  }
  CHECK(owners("secret", "far", project, "/f:metadata/f:finalizers") ==
        All{"kubist-status Update"});
  for (const auto& [kind, ns, name, made] :
       {std::tuple{"Project", std::string(), project, project},
        std::tuple{"VirtualCluster", project, std::string("dev"), world.name("dev")},
        std::tuple{"VirtualCluster", project, std::string("test"), world.name("test")}}) {
    const std::string mark = mark_of(kind, ns, name);
    CAPTURE(mark);
    const auto live = get("home", "namespace", made);
    CHECK(data::string_at(*live, {"metadata", "annotations", "kubist.io/owner"}) == mark);
    CHECK(data::string_at(*live, {"metadata", "labels", "app.kubernetes.io/managed-by"}) ==
          "kubist");
    CHECK_FALSE((*live)["metadata"].contains("ownerReferences"));
    CHECK(owners("namespace", made, "", "/f:metadata/f:annotations/f:kubist.io~1owner") ==
          All{manager_of(mark) + " Apply"});
  }

  // The inventory has its entry before the namespace is made.
  const auto writes = audit.writes(world.user());
  const auto index_of = [&](const std::string& resource, const std::string& name) {
    return std::find_if(writes.begin(), writes.end(),
                        [&](const AuditedWrite& write) {
                          return write.resource == resource && write.name == name &&
                                 (resource == "namespaces" || write.subresource == "status");
                        }) -
           writes.begin();
  };
  CHECK(index_of("namespaces", world.name("dev")) < static_cast<long>(writes.size()));
  CHECK(index_of("virtualclusters", "dev") < index_of("namespaces", world.name("dev")));

  const auto before = get("home", "namespace", world.name("dev"));
  const CommandResult again = run_kubist({"apply", "-f", "-"}, yaml);
  CHECK(must(again).find("configured") == std::string::npos);
  CHECK(get("home", "namespace", world.name("dev")) == before);
  CHECK((*vc(project, "dev"))["metadata"]["finalizers"] == Json::array({"kubist.io/finalizer"}));
  CHECK((*get("home", "secret", "far", project))["metadata"]["finalizers"] ==
        Json::array({"kubist.io/in-use"}));
}

TEST_CASE("ownership: a label that somebody else keeps is a conflict, with exit code 6") {
  World world("conflict");
  const std::string project = world.name();
  const std::string where = world.name("v");
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "v", "home", where)});
  must(run_kubist({"reconcile", "Project/" + project}));
  put("home", {Json{{"apiVersion", "v1"},
                    {"kind", "Namespace"},
                    {"metadata", {{"name", where}, {"labels", {{"team", "theirs"}}}}}}});
  put("home", {virtual_cluster(project, "v", "home", where, {{"labels", {{"team", "ours"}}}})});
  const CommandResult run = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(run.exit_code == 6, run.out, run.err);
  CHECK(reason(vc(project, "v"), "Ready") == "Conflict");
  CHECK(label(where, "team") == "theirs");
}

TEST_CASE("ownership: a label that kubist applied is repaired, whoever overwrote it") {
  World world("overwritten");
  const std::string project = world.name();
  const std::string where = world.name("v");
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "v", "home", where, {{"labels", {{"team", "ours"}}}})});
  must(run_kubist({"reconcile", "Project/" + project}));
  must(kubectl("home", {"label", "namespace", where, "team=theirs", "--overwrite"}));
  const CommandResult dry =
      run_kubist({"reconcile", "Project/" + project, "--dry-run=server", "--detailed-exitcode"});
  CHECK_MESSAGE(dry.exit_code == 2, dry.out, dry.err);
  CHECK(label(where, "team") == "theirs");
  must(run_kubist({"reconcile", "Project/" + project}));
  CHECK(label(where, "team") == "ours");
}

TEST_CASE("ownership: a namespace goes only where entry, mark and uid agree") {
  World world("agree");
  const std::string project = world.name();
  world.make_project(project);
  const std::vector<std::string> names{"marked", "replaced", "forgotten", "fine"};
  std::vector<Json> objects{object("Cluster", project, "home", {{"home", true}})};
  for (const std::string& name : names) {
    objects.push_back(virtual_cluster(project, name, "home", world.name(name)));
  }
  put("home", objects);
  must(run_kubist({"reconcile", "Project/" + project}));

  must(kubectl("home", {"annotate", "namespace", world.name("marked"), "--overwrite",
                        "kubist.io/owner=somebody/else/at/all"}));
  const Json replaced = *get("home", "namespace", world.name("replaced"));
  must(kubectl("home", {"delete", "namespace", world.name("replaced"), "--timeout=60s"}));
  put("home",
      {{{"apiVersion", "v1"},
        {"kind", "Namespace"},
        {"metadata",
         {{"name", world.name("replaced")},
          {"labels", {{"app.kubernetes.io/managed-by", "kubist"}}},
          {"annotations",
           {{"kubist.io/owner", replaced["metadata"]["annotations"]["kubist.io/owner"]}}}}}}});
  must(kubectl("home", {"patch", "kvc", "forgotten", "-n", project, "--subresource=status",
                        "--type=merge", "-p", R"({"status":{"inventory":null}})"}));

  for (const std::string& name : names) {
    must(kubectl("home", {"delete", "kvc", name, "-n", project, "--wait=false"}));
  }
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(!vc(project, name));
    const bool says = run.out.find("namespace " + world.name(name)) != std::string::npos;
    if (name == "fine") {
      CHECK(eventually([&] { return !get("home", "namespace", world.name(name)); }, 60));
      continue;
    }
    CHECK_MESSAGE(says, run.out);
    const auto left = get("home", "namespace", world.name(name));
    REQUIRE(left);
    CHECK_FALSE((*left)["metadata"].contains("deletionTimestamp"));
  }
}
