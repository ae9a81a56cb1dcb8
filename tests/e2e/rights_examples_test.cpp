// The examples, by an account with the roles that `init --print-rbac` prints.
#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/printed_examples.hpp"

namespace {

using namespace it;
using namespace it::roles;
using kubist::util::cat;
namespace data = kubist::data;

/// What a kubeconfig (of Cluster `eu`) makes kubist ask for: where Services are, which no
/// kubeconfig may lead to.
const Words k_remote_check{"servicecidrs", "services/kubernetes"};

/// What is applied and reconciled by an account with the printed roles: all is Ready, nothing but
/// `refused` was refused, a second run writes nothing, and all can be deleted.
void check_works(const Account& account, const std::string& project,
                 const std::vector<Json>& objects, const Words& refused = {}) {
  Audit audit("home");
  must(account.kubist({"apply", "-n", project, "-f", "-"}, yaml_of(objects)));
  must(account.kubist({"reconcile", "Project/" + project, "--timeout=150s"}));
  std::size_t ready = 0;
  for (const Json& each : objects) {
    const std::string version(data::string_at(each, {"apiVersion"}));
    const std::string kind(data::string_at(each, {"kind"}));
    const std::string name(data::string_at(each, {"metadata", "name"}));
    if (version != "v1" && kind != "PolicyDefinition") {
      CAPTURE(kind);
      CAPTURE(name);
      const std::string type = cat(kind, '.', version.substr(0, version.find('/')));
      const auto live = get("home", type, name, project);
      CHECK_MESSAGE(condition(live, "Ready") == "True", message(live, "Ready"));
      ++ready;
    }
  }
  CHECK(ready >= 3);
  Audit second("home");
  must(account.kubist({"reconcile", "Project/" + project}));
  CHECK(second.writes(account.user()).empty());
  must(account.kubist({"delete", "-n", project, "-f", "-", "--timeout=120s"}, yaml_of(objects)));
  check_none_refused(audit.requests(account.user()), refused);
}

/// The example of that folder in namespaces that are there.
void check_example(const std::string& folder, const Words& environments) {
  World world(folder);
  const std::string project = world.name();
  std::vector<Json> objects = example(folder, folder, project);
  Words home_namespaces;
  for (const std::string& each : environments) {
    home_namespaces.push_back(world.name(each));
  }
  world.make_project(project, take_grants(objects, home_namespaces));
  const Account account(project, home_namespaces);
  adopt_namespaces(objects);
  Words refused = k_istio_check;
  if (folder == "shop") {
    for (Json& each : example("policies", folder, project)) {
      if (each["kind"] == "ClusterPolicyDefinition") {
        put("home", {each});  // an administrator's part
      } else {
        objects.push_back(std::move(each));
      }
    }
    const auto target = kubist::util::read_file(kubeconfig("target1"));
    REQUIRE(target);
    objects.push_back(secret(project, "eu-kubeconfig", *target));
    refused.insert(refused.end(), k_remote_check.begin(), k_remote_check.end());
  }
  check_works(account, project, objects, refused);
}

/// The cluster-wide objects of examples/executors; gone with this.
class ExampleExecutors {
 public:
  ExampleExecutors() {
    for (const Json& each : example("executors", "unused", "unused")) {
      m_names.push_back(
          cat(each["kind"].get<std::string>(), '/', each["metadata"]["name"].get<std::string>()));
      put("home", {each});
    }
    REQUIRE(m_names.size() == 4);
    must(kubectl("home", {"wait", "--for=condition=established", "crd/caches.example.com"}));
  }
  ~ExampleExecutors() {
    Words words{"delete", "--ignore-not-found", "--wait=false"};
    words.insert(words.end(), m_names.begin(), m_names.end());
    kubectl("home", words);
  }
  ExampleExecutors(const ExampleExecutors&) = delete;
  ExampleExecutors& operator=(const ExampleExecutors&) = delete;

 private:
  Words m_names;
};

}  // namespace

TEST_CASE("rights: the examples work with the printed roles, in namespaces that are there") {
  check_example("quickstart", {"dev"});
  check_example("shop", {"dev", "test"});
}

TEST_CASE("rights: the examples of items work with the printed roles") {
  World world("items");
  const std::string project = world.name();
  world.make_project(project);
  const Account account(project, {});
  std::vector<Json> objects = example("deployitems", "deployitems", project);
  std::erase_if(objects, [](const Json& each) {
    const std::string name(data::string_at(each, {"metadata", "name"}));
    // The project's namespace is there; no chart can be fetched here; the first design's item has
    // no work (e2e/items_test.cpp gives it some).
    return each["kind"] == "Namespace" || name == "podinfo" || name == "my-deploy-item";
  });
  REQUIRE(objects.size() == 4);
  check_works(account, project, objects);
}

TEST_CASE("rights: the examples of executors need rights for the kind that is served, no more") {
  World world("executors");
  const std::string project = world.name();
  const std::string home_ns = world.name("dev");
  world.make_project(project, {{"home", {{"namespaces", {home_ns}}}}});
  const ExampleExecutors executors;
  Account account(project, {home_ns});
  account.grant(project,
                Json::array({{{"apiGroups", {"example.com"}},
                              {"resources", {"caches"}},
                              {"verbs", {"get", "list", "watch", "create", "patch", "delete"}}},
                             {{"apiGroups", {"example.com"}},
                              {"resources", {"caches/status"}},
                              {"verbs", {"patch"}}}}));
  const Json in_dev{{"virtualClusterRef", {{"name", "dev"}}}};
  // No replicas: its image is not here.
  Json cache = object("Cache", project, "sessions", {{"replicas", 0}});
  cache["apiVersion"] = "example.com/v1";
  cache["spec"].update(in_dev);
  Json payments = object("ExternalService", project, "payments",
                         {{"hosts", {"pay.example.com"}},
                          {"ports", Json::array({{{"number", 443}, {"protocol", "TLS"}}})},
                          {"executor", {{"name", "external-name"}}}});
  payments["spec"].update(in_dev);
  check_works(
      account, project,
      {object("Cluster", project, "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}}),
       virtual_cluster(project, "dev", "home", home_ns, {{"adopt", true}}), cache, payments});
}
