#include "hostile_stage.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/fs.hpp>

#include "mesh_kinds.hpp"

namespace it::hostile {

using kubist::util::cat;
namespace data = kubist::data;
namespace fs = std::filesystem;

namespace {

/// In place of helm, for as long as the tests run: what an archive has is what its chart is
/// rendered to. So attempts say what a chart would make, and no chart is made here.
void use_charts_as_they_are() {
  static const kubist::util::TempDir folder("charts");
  const fs::path program = folder.path() / "helm";
  REQUIRE(kubist::util::write_file(program, "#!/bin/sh\nexec /bin/cat chart.tgz\n"));
  fs::permissions(program, fs::perms::owner_all);
  REQUIRE(::setenv("KUBIST_HELM", program.c_str(), 1) == 0);
}

Json config_map(const std::string& ns, const std::string& name, Json values) {
  Json made = kubist::testing::plain("ConfigMap", ns, name);
  made["data"] = std::move(values);
  return made;
}

}  // namespace

std::vector<Attempt> attempts(const Names& names, bool with_rights_of_the_server) {
  const std::string service =
      (*get("home", "service", "kubernetes"))["spec"]["clusterIP"].get<std::string>();
  std::vector<Attempt> all;
  for (const auto& part :
       {object_attempts(), reference_attempts(), pod_attempts(), chart_attempts(), place_attempts(),
        program_attempts(), traffic_attempts()}) {
    for (Attempt each : part) {
      each.name = kubist::util::lower(names.put_in(each.name));
      each.spec = kubist::util::replace_all(names.put_in(each.spec), "NAME-kubeconfig",
                                            each.name + "-kubeconfig");
      each.spec = kubist::util::replace_all(each.spec, "SERVICE", service);
      each.kubeconfig = kubist::util::replace_all(each.kubeconfig, "SERVICE", service);
      for (Words* things : {&each.never, &each.reads}) {
        for (std::string& thing : *things) {
          thing = names.put_in(thing);
        }
      }
      if (each.by != By::server || with_rights_of_the_server) {
        all.push_back(std::move(each));
      }
    }
  }
  return all;
}

std::string type_of(const std::string& kind) {
  const bool item = kind == "DeployItem";
  const auto* found = kubist::resources::find_kind(
      item ? kubist::resources::k_landscaper_group : kubist::resources::k_kubist_group, kind);
  REQUIRE_MESSAGE(found != nullptr, kind);
  return cat(found->plural, '.', found->group);
}

Json node_object(const std::string& kind, const std::string& ns, const std::string& name,
                 Json spec) {
  Json made = object(kind, ns, name, std::move(spec));
  if (kind == "DeployItem") {
    made["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  }
  return made;
}

std::vector<Json> bystanders(const Names& names) {
  Json of_people = secret(names.project, "private", "theirs");
  of_people["metadata"]["labels"] = {{"for", "people"}};
  std::vector<Json> all{of_people, secret(names.project, "db-export", "theirs"),
                        secret(names.other, "keys", "theirs"),
                        config_map(names.project, "foreign", {{"by", "hand"}}),
                        config_map(names.other, "settings", {{"by", "hand"}})};
  for (const std::string& ns : {names.project, names.dev()}) {
    Json kept = secret(ns, "kept", "a kubeconfig");
    kept["metadata"]["labels"] = {{"kubist.io/internal", "true"}};
    all.push_back(std::move(kept));
  }
  Json service = kubist::testing::plain("Service", names.dev(), "foreign");
  service["spec"] = {{"ports", Json::array({{{"port", 80}}})}};
  all.push_back(std::move(service));
  return all;
}

std::vector<Json> live(const std::vector<Json>& objects) {
  std::vector<Json> all;
  for (const Json& each : objects) {
    all.push_back(get("home", kubist::util::lower(each["kind"].get<std::string>()),
                      each["metadata"]["name"], each["metadata"]["namespace"])
                      .value_or("gone"));
  }
  for (const std::string ns : {"kube-system", "default"}) {
    all.push_back(get("home", "namespace", ns).value_or("gone"));
  }
  return all;
}

void prepare(World& world, const Names& names) {
  use_charts_as_they_are();
  world.make_project(names.project,
                     {{"home", {{"namespaces", {names.dev(), names.project + "-pool-*"}}}},
                      {"items", {{"kinds", {"IngressClass.networking.k8s.io"}}}},
                      {"allow", {{"hosts", {"shop.example.com"}}}}});
  world.make_project(names.other, {{"home", {{"namespaces", {names.other + "-dev"}}}}});
  for (const std::string& ns : {names.dev(), names.other + "-dev", names.theirs(),
                                names.project + "-account", names.people}) {
    put("home", {kubist::testing::plain("Namespace", "", ns)});
  }
  for (const std::string& project : {names.project, names.other}) {
    put("home",
        {object("Cluster", project, "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}}),
         virtual_cluster(project, "dev", "home", project + "-dev", {{"adopt", true}})});
  }
  must(run_kubist({"reconcile", "Project/" + names.project, "Project/" + names.other}));
  make_ready_pod(names.dev(), "v1");
  put("home", bystanders(names));
  put("home",
      {config_map(names.project, "pointer", {{"name", "keys"}, {"namespace", names.other}}),
       node_object("DeployItem", names.other, "honest",
                   yaml("{type: kubist.io/manifest, target: {name: dev}, config: {manifests: "
                        "[{apiVersion: v1, kind: ConfigMap, metadata: {name: honest}}]}}"))});
}

std::shared_ptr<kubist::kube::Client> member(const Names& names) {
  std::map<std::string, Json> plurals;
  for (const kubist::resources::Kind& kind : kubist::resources::kinds()) {
    if (kind.namespaced && kind.name != "Approval") {
      plurals[std::string(kind.group)].push_back(kind.plural);
    }
  }
  plurals[std::string(kubist::resources::k_landscaper_group)] = Json::array({"deployitems"});
  Json role{{"apiVersion", cat(k_rbac_group, "/v1")},
            {"kind", "Role"},
            {"metadata", {{"name", "member"}, {"namespace", names.project}}}};
  for (const auto& [group, list] : plurals) {
    role["rules"].push_back(
        {{"apiGroups", {group}},
         {"resources", list},
         {"verbs", {"get", "list", "watch", "create", "update", "patch", "delete"}}});
  }
  Json binding{
      {"apiVersion", cat(k_rbac_group, "/v1")},
      {"kind", "RoleBinding"},
      {"metadata", {{"name", "member"}, {"namespace", names.project}}},
      {"roleRef", {{"apiGroup", k_rbac_group}, {"kind", "Role"}, {"name", "member"}}},
      {"subjects",
       Json::array(
           {{{"kind", "ServiceAccount"}, {"name", "member"}, {"namespace", names.people}}})}};
  put("home", {kubist::testing::plain("ServiceAccount", names.people, "member"), role, binding});
  auto as = client("home")->as(cat("system:serviceaccount:", names.people, ":member"));
  CHECK(eventually([&] {
    const auto answer = as->can_i({.verb = "create",
                                   .group = std::string(kubist::resources::k_landscaper_group),
                                   .resource = "deployitems",
                                   .ns = names.project});
    return answer && answer->allowed;
  }));
  return as;
}

std::string create_as(kubist::kube::Client& who, const Json& object) {
  const auto of = client("home")->discovery().find_kind(data::string_at(object, {"apiVersion"}),
                                                        data::string_at(object, {"kind"}));
  REQUIRE_MESSAGE(of, (of ? "" : of.error().to_string()));
  const auto made = who.run(kubist::kube::create(*of, object));
  return made ? "" : made.error().to_string();
}

void write_all(kubist::kube::Client& who, const std::vector<Attempt>& all, const Names& names,
               const std::function<void()>& between) {
  for (const Refusal& each : refusals()) {
    const std::string answer = create_as(who, yaml(names.put_in(each.object)));
    CHECK_MESSAGE(answer.find(each.message) != std::string::npos, each.object, '\n', answer);
  }
  for (const std::string& tool : tools()) {
    CHECK_MESSAGE(create_as(who, yaml(names.put_in(tool))) == "", tool);
  }
  between();
  for (const Attempt& each : all) {
    if (!each.kubeconfig.empty() && each.reasons != "SecretNotFound") {
      put("home", {secret(names.project, each.name + "-kubeconfig", each.kubeconfig)});
    }
    const std::string answer =
        create_as(who, node_object(each.kind, names.project, each.name, yaml(each.spec)));
    CHECK_MESSAGE(answer == "", each.name, ": ", answer);
  }
}

}  // namespace it::hostile
