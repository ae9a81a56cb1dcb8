// `cluster add` against two API servers in memory.
#include "two_clusters.hpp"

using namespace kubist;
using namespace kubist::testing;

TEST_CASE("cluster add: the account there, the token tried, the Secret and the Cluster here") {
  TwoClusters two;
  const auto made = two.add(two.options());
  REQUIRE_MESSAGE(made, made.error().to_string());
  CHECK(made->target.ok());
  CHECK(made->home.ok());
  CHECK(two.done == Lines{"Namespace created", "ServiceAccount created", "ClusterRole created",
                          "ClusterRoleBinding created", "Secret created", "Secret created",
                          "Cluster created"});
  CHECK(two.planned == two.done);
  CHECK(two.connected == 1);
  CHECK(two.token == "token-of-kubist-shop-eu-token-1");
  CHECK(two.token_at_home() == two.token);
  CHECK(made->home_objects[0]["data"]["value"] == "***");
  // Again: no write.
  const std::string version = version_of(two.home->get("secrets", "eu-kubeconfig", "shop"));
  two.home->forget_log();
  two.target->forget_log();
  const auto again = two.add(two.options());
  REQUIRE_MESSAGE(again, again.error().to_string());
  CHECK(two.done.size() == 7);
  for (const std::string& line : two.done) {
    CHECK(line.ends_with(" unchanged"));
  }
  // The fake's Secret leaves a doubt, so that it is asked; nothing changes.
  CHECK(version_of(two.home->get("secrets", "eu-kubeconfig", "shop")) == version);
  CHECK(two.home->writes().size() <= 1);
  CHECK(two.target->writes().empty());
}

TEST_CASE("cluster add: a dry run of either kind writes nothing") {
  TwoClusters two;
  two.target->put(
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "kubist-system"}}}});
  for (const kube::DryRun mode : {kube::DryRun::client, kube::DryRun::server}) {
    RegisterOptions options = two.options();
    options.dry_run = mode;
    options.in_any_namespace = true;
    const auto made = two.add(options);
    REQUIRE_MESSAGE(made, made.error().to_string());
    CHECK(two.done.size() == 7);
    CHECK(two.planned.empty());
    CHECK(two.done[0] == "Namespace kept");  // somebody's
    CHECK(two.done[1] == "ServiceAccount created");
    CHECK(made->target_objects.size() == 5);
  }
  for (const auto& cluster : {two.home, two.target}) {
    for (const auto& write : cluster->writes()) {
      CHECK(write.dry_run);
    }
  }
  CHECK(two.connected == 0);
}

TEST_CASE("cluster add: what others made is in the way before anything is written") {
  struct Case {
    Json object;
    bool at_home;
    const char* part;
  };
  const auto named = [](const char* api, const char* kind, const char* ns, const char* name) {
    Json object{{"apiVersion", api}, {"kind", kind}, {"metadata", {{"name", name}}}};
    if (*ns != 0) {
      object["metadata"]["namespace"] = ns;
    }
    return object;
  };
  Json other = named("v1", "ServiceAccount", "kubist-system", "kubist-shop");
  other["metadata"]["labels"] = {{"app.kubernetes.io/managed-by", "kubist"}};
  other["metadata"]["annotations"] = {{"kubist.io/registered-by", "another-home/shop"}};
  Json cluster = named("kubist.io/v1alpha1", "Cluster", "shop", "eu");
  cluster["spec"] = {{"kubeconfigSecretRef", {{"name", "mine"}}}};
  for (const Case& each :
       {Case{named("v1", "Secret", "shop", "eu-kubeconfig"), true, "did not make it"},
        Case{cluster, true, "mine"},
        Case{named("v1", "ServiceAccount", "kubist-system", "kubist-shop"), false,
             "kubist did not make it"},
        Case{other, false, "another home cluster"},
        Case{named("rbac.authorization.k8s.io/v1", "ClusterRole", "", "kubist-target"), false,
             "kubist did not make it"}}) {
    TwoClusters two;
    two.target->put(
        {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "kubist-system"}}}});
    (each.at_home ? two.home : two.target)->put(each.object);
    RegisterOptions options = two.options();
    options.in_any_namespace = true;
    const auto refused = two.add(options);
    REQUIRE(!refused);
    CHECK(refused.error().kind == util::ErrorKind::conflict);
    CHECK_MESSAGE(refused.error().to_string().find(each.part) != std::string::npos,
                  refused.error().to_string());
    CHECK(two.home->writes().empty());
    CHECK(two.target->writes().empty());
  }
}

TEST_CASE("cluster add: no token comes into a namespace that others made, unless it is named") {
  TwoClusters two;
  Json ns{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "kubist-system"}}}};
  SUBCASE("without a mark") {}
  SUBCASE("with a label that anybody can write") {
    ns["metadata"]["labels"] = {{"app.kubernetes.io/managed-by", "kubist"}};
  }
  two.target->put(ns);
  RegisterOptions options = two.options();
  const auto refused = two.add(options);
  REQUIRE(!refused);
  CHECK(refused.error().kind == util::ErrorKind::conflict);
  CHECK(refused.error().to_string().find("could read the new token") != std::string::npos);
  CHECK(refused.error().hint.find("--account-namespace kubist-system") != std::string::npos);
  CHECK(two.target->writes().empty());
  options.in_any_namespace = true;
  CHECK(two.add(options));
  CHECK(two.add(two.options()));  // it is known now
}

TEST_CASE("cluster add: a Secret that members wrote opens no namespace of others") {
  TwoClusters two;
  two.target->put(
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "kubist-system"}}}});
  TwoClusters elsewhere;
  REQUIRE(elsewhere.add(elsewhere.options()));
  Json forged = elsewhere.home->get("secrets", "eu-kubeconfig", "shop");
  for (const char* field : {"uid", "resourceVersion", "managedFields", "creationTimestamp"}) {
    forged["metadata"].erase(field);
  }
  two.home->put(forged);
  const auto refused = two.add(two.options());
  REQUIRE(!refused);
  CHECK(refused.error().to_string().find("could read the new token") != std::string::npos);
  CHECK(two.target->writes().empty());
  // Where nobody says whether the account is there, that is the error.
  two.target->fail("GET *serviceaccounts/kubist-shop*", 403);
  const auto unknown = two.add(two.options());
  REQUIRE(!unknown);
  CHECK(unknown.error().http_status == 403);
}

TEST_CASE("cluster add: no token, or one of somebody else, leaves home as it was") {
  TwoClusters two;
  two.fills = false;
  const auto none = two.add(two.options());
  REQUIRE(!none);
  CHECK(none.error().kind == util::ErrorKind::timeout);
  CHECK(none.error().hint.find("kube-controller-manager") != std::string::npos);
  CHECK(two.home->writes().empty());
  two.fill("kubist-shop-eu-token-1");
  two.known_as = "somebody";
  const auto wrong = two.add(two.options());
  REQUIRE(!wrong);
  CHECK(wrong.error().kind == util::ErrorKind::forbidden);
  CHECK(wrong.error().message.find("somebody") != std::string::npos);
  CHECK(two.home->writes().empty());
  // The next run goes on from there.
  two.known_as = k_user;
  CHECK(two.add(two.options()));
  CHECK(two.token_at_home() == "token-of-kubist-shop-eu-token-1");
}

TEST_CASE("cluster add: another cluster than the Cluster's is refused") {
  TwoClusters two;
  REQUIRE(two.add(two.options()));
  two.home->patch("clusters.kubist.io", "eu", "shop", kube::PatchType::merge,
                  {{"status", {{"kubeSystemUID", "another"}}}}, "status");
  const auto refused = two.add(two.options());
  REQUIRE(!refused);
  CHECK(refused.error().message.find("is another cluster") != std::string::npos);
  CHECK(!two.rotate(false));
  CHECK(two.tokens_there() == Lines{"kubist-shop-eu-token-1"});
}

TEST_CASE("cluster add: an account that only the Secret names must be this project's") {
  for (const char* owner : {"", "?", "another-home/shop"}) {
    CAPTURE(owner);
    TwoClusters two;
    REQUIRE(two.add(two.options()));
    two.plant("kube-system", "some-admin", owner);
    two.target->forget_log();
    two.home->forget_log();
    const auto refused = two.add(two.options());
    REQUIRE(!refused);
    CHECK(refused.error().kind == util::ErrorKind::denied);
    CHECK(two.target->writes().empty());
    CHECK(two.home->writes().empty());
  }
  // The account of its own choice is made again.
  TwoClusters two;
  REQUIRE(two.add(two.options()));
  two.target->remove("serviceaccounts", "kubist-shop", "kubist-system");
  CHECK(two.add(two.options()));
}
