// What `init --print-rbac` prints with its options: no more, no less.
#include "execution_support.hpp"
#include "printed_examples.hpp"

namespace {

using namespace it;
using namespace it::roles;

const char* const k_deployment =
    R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
  "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": {
    "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "none"}]}}}})";

/// A project with one environment on the home cluster, and an account with the printed roles.
struct Place {
  Place(const std::string& test, const Words& options, Json spec = Json::object())
      : world(test), project(world.name()), home_ns(world.name("dev")) {
    spec["home"]["namespaces"] = {home_ns};
    world.make_project(project, spec);
    account.emplace(project, Words{home_ns}, options);
  }
  std::vector<Json> environment(const Json& more) const {
    return {object("Cluster", project, "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}}),
            virtual_cluster(project, "dev", "home", home_ns, more)};
  }
  CommandResult with(const std::string& verb, const std::vector<Json>& objects) const {
    return account->kubist({verb, "-n", project, "-f", "-", "--timeout=60s"}, yaml_of(objects));
  }
  CommandResult reconcile() const {
    return account->kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  }
  bool is_bound() const {
    return get("home", "rolebindings", "kubist-project", home_ns).has_value();
  }

  World world;
  std::string project, home_ns;
  std::optional<Account> account;
};

}  // namespace

TEST_CASE("rights: with --create-namespaces each right that is printed more is needed") {
  const Place place("creating", {"--create-namespaces"});
  Audit audit("home");
  // Made, and given up: the namespace stays, the account's rights there do not.
  const auto orphan = place.environment({{"deletionPolicy", "Orphan"}});
  must(place.with("apply", orphan));
  must(place.reconcile());
  CHECK(place.is_bound());
  must(place.with("delete", {orphan.back()}));
  CHECK(!place.is_bound());
  REQUIRE(get("home", "namespace", place.home_ns));
  // Taken again, restarted for Istio, and deleted.
  must(kubectl("home", {"create", "-n", place.home_ns, "-f", "-"}, k_deployment));
  const auto taken = place.environment({{"adopt", true},
                                        {"deletionPolicy", "Delete"},
                                        {"injection", {{"mode", "Sidecar"}, {"restart", true}}}});
  must(place.with("apply", taken));
  must(place.reconcile());
  CHECK(place.is_bound());
  CHECK(data::find_path(*get("home", "deployments", "web", place.home_ns),
                        {"spec", "template", "metadata", "annotations", "kubist.io/mesh"}) !=
        nullptr);
  must(place.with("delete", taken));
  CHECK(!get("home", "namespace", place.home_ns));

  const auto requests = audit.requests(place.account->user());
  check_none_refused(requests);
  std::vector<Right> more = place.account->rights();
  const auto without = rights_of(place.account->print(place.project, {place.home_ns}));
  std::erase_if(more, [&](const Right& right) {
    return std::find(without.begin(), without.end(), right) != without.end();
  });
  check_needed(more, requests,
               {{{"", "rbac.authorization.k8s.io", "clusterroles", "bind", ""},
                 "the API server asks for it: see the next case"}});
}

TEST_CASE("rights: with --create-namespaces but without bind a project's account gets no rights") {
  const Place place("unbound", {"--create-namespaces"});
  const std::string role = "kubist-project-" + place.project;
  Json rules = (*get("home", "clusterroles", role))["rules"];
  const auto before = rules.size();
  rules.erase(
      std::remove_if(rules.begin(), rules.end(),
                     [](const Json& rule) { return rule["verbs"] == Json::array({"bind"}); }),
      rules.end());
  REQUIRE(rules.size() == before - 1);
  must(kubectl(
      "home", {"patch", "clusterrole", role, "--type=merge", "-p", Json{{"rules", rules}}.dump()}));
  must(place.with("apply", place.environment(Json::object())));
  const CommandResult run = place.reconcile();
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  const auto live = vc(place.project, "dev");
  CHECK(reason(live, "Ready") == "RoleNotBound");
  CHECK_MESSAGE(message(live, "Ready").find("attempting to grant RBAC permissions not currently") !=
                    std::string::npos,
                message(live, "Ready"));
  CHECK(!place.is_bound());
}

TEST_CASE("rights: with --project-account kubist acts as the account that the Project names") {
  const Place place("named", {"--project-account", "tool"}, {{"serviceAccountName", "tool"}});
  put("home", {kubist::testing::plain("ServiceAccount", place.project, "tool")});
  auto objects = place.environment({{"adopt", true}});
  objects.push_back(executions::kept_item(place.project, "kept",
                                          Json::array({executions::kept_map("made")}), "dev"));
  Audit audit("home");
  must(place.with("apply", objects));
  const CommandResult run = place.reconcile();
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK_MESSAGE(run.err.find("own rights") == std::string::npos, run.err);
  CHECK(get("home", "configmap", "made", place.home_ns));
  must(place.with("delete", objects));
  const auto requests = audit.requests(place.account->user());
  check_none_refused(requests);
  std::set<std::string> accounts;
  for (const Json& event : requests) {
    accounts.emplace(data::string_at(event, {"impersonatedUser", "username"}));
  }
  CHECK(accounts ==
        std::set<std::string>{"", cat("system:serviceaccount:", place.project, ":tool")});
}
