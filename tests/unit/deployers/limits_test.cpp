// What manifest and helm items may do on the home cluster, as far as no request is needed for it.
#include <doctest/doctest.h>

#include "item/requests.hpp"
#include "limited.hpp"
#include "manifest/managed.hpp"

using namespace kubist;
using namespace kubist::deployers;
using namespace limits;

namespace {

/// A live object as mark() leaves those of an item.
Json made_by(const std::string& kind, const std::string& uid, const std::string& name) {
  const std::string key(k_managed_label);
  return object(
      "v1", kind,
      {{"metadata",
        {{"namespace", "shop"}, {"labels", {{key, uid}}}, {"annotations", {{key, name}}}}}});
}

Json secret_of(Json metadata) {
  metadata["name"] = "db-export";
  metadata["namespace"] = "shop";
  return {{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", std::move(metadata)}};
}

}  // namespace

TEST_CASE("limits: kinds beyond the role edit need the Project's word") {
  for (const auto& [api_version, kind] : {std::pair{"v1", "ConfigMap"},
                                          {"v1", "Secret"},
                                          {"v1", "ServiceAccount"},
                                          {"apps/v1", "StatefulSet"},
                                          {"batch/v1", "CronJob"},
                                          {"networking.k8s.io/v1", "Ingress"},
                                          {"policy/v1", "PodDisruptionBudget"}}) {
    CAPTURE(kind);
    CHECK(reason(object(api_version, kind)).empty());
  }
  for (const auto& [api_version, kind] :
       {std::pair{"rbac.authorization.k8s.io/v1", "ClusterRoleBinding"},
        {"rbac.authorization.k8s.io/v1", "RoleBinding"},
        {"v1", "Namespace"},
        {"coordination.k8s.io/v1", "Lease"},
        {"kubist.io/v1alpha1", "Project"},
        {"landscaper.gardener.cloud/v1alpha1", "DeployItem"},
        {"example.com/v1", "Deployment"},
        {"v1", "Endpoints"}}) {
    CAPTURE(kind);
    CHECK(reason(object(api_version, kind)) == "KindNotAllowed");
  }
  const auto found =
      problems(object("rbac.authorization.k8s.io/v1", "RoleBinding"), limited({"RoleBinding"}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == util::ErrorKind::denied);
  CHECK(
      found[0].message.starts_with("RoleBinding x: items may not write objects of the kind "
                                   "RoleBinding.rbac.authorization.k8s.io"));
  CHECK(found[0].hint ==
        "An administrator allows it with RoleBinding.rbac.authorization.k8s.io "
        "in spec.items.kinds of Project shop.");
  CHECK(reason(object("rbac.authorization.k8s.io/v1", "RoleBinding"),
               limited({"RoleBinding.rbac.authorization.k8s.io"}))
            .empty());
  CHECK(reason(object("v1", "Namespace"), limited({"Namespace"})).empty());
  CHECK(reason(object("kubist.io/v1alpha1", "Project"), Place{}).empty());
  CHECK(problems(object("v1", "Namespace"), limited(), ManagePolicy::ignore).empty());
}

TEST_CASE("limits: a namespace that only a release needs is no grant's matter") {
  ManifestPlan plan;
  resources::Manifest manifest;
  manifest.object = object("v1", "Namespace");
  plan.entries.push_back({manifest, ManagePolicy::keep, nullptr, nullptr, true});
  CHECK(manifest_problems(plan, limited()).empty());
  plan.entries[0].only_absent = false;
  CHECK(manifest_problems(plan, limited()).size() == 1);
}

TEST_CASE("limits: kubist's own words, tokens of accounts and patches of what goes") {
  CHECK(reason(object("v1", "Secret",
                      {{"metadata", {{"annotations", {{"kubist.io/deployitem", "shop/y"}}}}}})) ==
        "ObjectNotAllowed");
  CHECK(
      reason(object("v1", "Secret", {{"metadata", {{"labels", {{"kubist.io/internal", "x"}}}}}})) ==
      "ObjectNotAllowed");
  CHECK(reason(object("v1", "Secret",
                      {{"metadata", {{"finalizers", Json::array({"kubist.io/in-use"})}}}})) ==
        "ObjectNotAllowed");
  CHECK(reason(made_by("ConfigMap", "1-2", "shop/m")).empty());
  const Json token =
      object("v1", "Secret",
             {{"type", "kubernetes.io/service-account-token"},
              {"metadata", {{"annotations", {{"kubernetes.io/service-account.name", "kubist"}}}}}});
  CHECK(reason(token) == "AccountNotAllowed");
  Place place = limited();
  place.grants.accounts = {"kub*"};
  CHECK(reason(token, place).empty());

  ManifestPlan plan;
  resources::Manifest manifest;
  manifest.object = object("v1", "ConfigMap");
  plan.entries.push_back({manifest, ManagePolicy::manage, nullptr, Json{{"data", nullptr}}, false});
  REQUIRE(manifest_problems(plan, limited()).size() == 1);
  CHECK(manifest_problems(plan, limited())[0].message ==
        "ConfigMap x: patchBeforeDelete is not "
        "allowed");
  CHECK(manifest_problems(plan, limited({"ConfigMap"})).empty());
  plan.entries[0].patch_before_delete = nullptr;
  plan.entries[0].annotate_before_delete = {{"example.com/a", "b"}};
  CHECK(manifest_problems(plan, limited()).empty());
  plan.entries[0].annotate_before_delete["kubist.io/owner"] = "x";
  CHECK(manifest_problems(plan, limited()).size() == 1);
}

TEST_CASE("limits: Ingresses and Services take no requests of hosts that are not the project's") {
  const auto ingress = [](Json spec) {
    return object("networking.k8s.io/v1", "Ingress", {{"spec", std::move(spec)}});
  };
  const auto of_host = [&](const char* host) {
    return ingress({{"rules", Json::array({{{"host", host}}})}});
  };
  Place place = limited();
  CHECK(reason(of_host("bank.example.com"), place).empty());
  auto limits = std::make_shared<ItemLimits>(*place.limits);
  limits->hosts = {"shop.example.com", "*.shop.example.com"};
  place.limits = limits;
  CHECK(reason(of_host("shop.example.com"), place).empty());
  CHECK(reason(of_host("A.Shop.example.com"), place).empty());
  for (const Json& spec : {Json{{"rules", Json::array({{{"host", "bank.example.com"}}})}},
                           Json{{"rules", Json::array({Json{{"http", Json::object()}}})}},
                           Json{{"rules", Json::array({{{"host", "shop.example.com"}}})},
                                {"tls", Json::array({{{"hosts", {"bank.example.com"}}}})}},
                           Json{{"defaultBackend", Json::object()}}}) {
    CAPTURE(spec.dump());
    CHECK(reason(ingress(spec), place) == "HostNotAllowed");
  }
  Json named = object("v1", "Service");
  for (const char* key : {"external-dns.alpha.kubernetes.io/hostname",
                          "external-dns.alpha.kubernetes.io/internal-hostname",
                          "nginx.ingress.kubernetes.io/server-alias"}) {
    CAPTURE(key);
    named["metadata"]["annotations"] = {{key, "shop.example.com, bank.example.com"}};
    CHECK(reason(named, place) == "HostNotAllowed");
    named["metadata"]["annotations"] = {{key, "a.shop.example.com"}};
    CHECK(reason(named, place).empty());
  }
  const Json service = object("v1", "Service", {{"spec", {{"externalIPs", {"8.8.8.8"}}}}});
  CHECK(reason(service) == "ObjectNotAllowed");
  CHECK(reason(service, limited({"Service"})).empty());
}

TEST_CASE("limits: what others made is neither written over nor, of Secrets, read") {
  const Place place = limited();
  const auto taken = [&](const Json& live, const Place& where) {
    const auto allowed = check_takeover(item(), where, live);
    return allowed ? std::string() : allowed.error().reason;
  };
  const Json foreign = object("v1", "ConfigMap", {{"metadata", {{"namespace", "shop"}}}});
  CHECK(taken(foreign, place) == "NameTaken");
  CHECK(taken(foreign, limited({"ConfigMap"})).empty());
  CHECK(taken(foreign, Place{}).empty());
  CHECK(taken(made_by("ConfigMap", "1-2", "shop/m"), place).empty());
  CHECK(taken(made_by("Secret", "9", "shop/m"), place).empty());  // of its name, before
  CHECK(taken(made_by("ConfigMap", "9", "shop/other"), place).empty());
  CHECK(taken(made_by("Secret", "9", "shop/other"), place) == "NameTaken");
  CHECK(taken(made_by("ConfigMap", "9", "shop2/other"), place) == "NameTaken");

  const auto read = [&](const Json& live, const Place& where) {
    const auto allowed = check_readable(item(), where, live);
    return allowed ? std::string() : allowed.error().reason;
  };
  const Json secret = object("v1", "Secret", {{"metadata", {{"namespace", "shop"}}}});
  CHECK(read(secret, place) == "SecretNotAllowed");
  CHECK(read(secret, limited({"Secret"})).empty());
  CHECK(read(secret, Place{}).empty());
  CHECK(read(made_by("Secret", "1-2", "shop/m"), place).empty());
  CHECK(read(made_by("Secret", "9", "shop/other"), place) == "SecretNotAllowed");
  CHECK(read(foreign, place).empty());
  CHECK(read(object("v1", "Node"), place) == "KindNotAllowed");
  CHECK(read(object("v1", "Node"), limited({"Node"})).empty());
  Json internal = made_by("Secret", "1-2", "shop/m");
  internal["metadata"]["labels"][std::string(k_internal_label)] = "true";
  CHECK(read(internal, Place{}) == "SecretNotAllowed");
}

TEST_CASE("limits: a Secret is the same owner's by uid, annotation or label, and else nobody's") {
  const Json owners = Json::array({{{"kind", "DeployItem"}, {"name", "db"}, {"uid", "1"}}});
  const Json wanted = secret_of(
      {{"annotations", {{"kubist.io/deployitem", "shop/db"}}}, {"ownerReferences", owners}});
  const auto taken = check_secret_owner(secret_of(Json::object()), wanted);
  REQUIRE_FALSE(taken);
  CHECK(taken.error().reason == "NameTaken");
  CHECK(taken.error().message.find("Secret shop/db-export") != std::string::npos);
  CHECK(check_secret_owner(secret_of({{"ownerReferences", owners}}), wanted));
  CHECK(check_secret_owner(secret_of({{"annotations", {{"kubist.io/deployitem", "shop/db"}}}}),
                           wanted));
  CHECK_FALSE(check_secret_owner(
      secret_of({{"annotations", {{"kubist.io/deployitem", "shop/db2"}}}}), wanted));
  const Json labelled = secret_of({{"labels", {{std::string(k_item_label), "1"}}}});
  CHECK(check_secret_owner(labelled, labelled));
  CHECK_FALSE(check_secret_owner(secret_of(Json::object()), secret_of(Json::object())));
}
