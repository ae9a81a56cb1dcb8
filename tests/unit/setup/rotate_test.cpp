// `cluster rotate`: wherever it stops, home has a token that works.
#include "two_clusters.hpp"

using namespace kubist;
using namespace kubist::testing;

TEST_CASE("cluster rotate: a new token, tried and written, before the old one ends") {
  TwoClusters two;
  REQUIRE(two.add(two.options()));
  for (const bool own : {true, false}) {
    two.steps.clear();
    const std::string before = two.tokens_there().at(0);
    const std::string next = own ? "kubist-shop-eu-token-2" : "kubist-shop-eu-token-3";
    std::string at_deletion;
    two.target->before("DELETE *", [&] { at_deletion = two.token_at_home(); });
    two.target->before("GET *watch=*", [&] { two.fill(next); });
    const auto rotated = two.rotate(own);
    REQUIRE_MESSAGE(rotated, rotated.error().to_string());
    CHECK(two.tokens_there() == Lines{next});
    CHECK(two.token_at_home() == "token-of-" + next);
    CHECK(at_deletion == "token-of-" + next);
    REQUIRE(two.steps.size() == 3);
    CHECK(two.steps[2].find(before) != std::string::npos);
  }
}

TEST_CASE("cluster rotate: a failure at any step leaves a token that works") {
  const std::string first = "kubist-shop-eu-token-1";
  const std::string second = "kubist-shop-eu-token-2";
  {
    TwoClusters two;  // nobody fills the Secret
    REQUIRE(two.add(two.options()));
    const auto failed = two.rotate();
    REQUIRE(!failed);
    CHECK(failed.error().message.find("nothing has changed for the Cluster") == 0);
    CHECK(two.token_at_home() == "token-of-" + first);
    // The next run goes on.
    two.fill(second);
    CHECK(two.rotate());
    CHECK(two.tokens_there() == Lines{second});
  }
  {
    TwoClusters two;  // home refuses
    REQUIRE(two.add(two.options()));
    two.target->before("GET *watch=*", [&] { two.fill(second); });
    two.home->fail("PATCH *eu-kubeconfig*", 403);
    const auto failed = two.rotate();
    REQUIRE(!failed);
    CHECK(two.token_at_home() == "token-of-" + first);
    CHECK(two.tokens_there() == Lines{first, second});
  }
  {
    TwoClusters two;  // the old one stays
    REQUIRE(two.add(two.options()));
    two.target->before("GET *watch=*", [&] { two.fill(second); });
    two.target->fail("DELETE *", 403);
    const auto failed = two.rotate();
    REQUIRE(!failed);
    CHECK(failed.error().message.find(first) != std::string::npos);
    CHECK(failed.error().hint.find("--context") != std::string::npos);
    CHECK(two.token_at_home() == "token-of-" + second);
    CHECK(two.tokens_there() == Lines{first, second});
  }
}

TEST_CASE("cluster rotate: only what cluster add made") {
  TwoClusters two;
  const auto none = two.rotate();
  REQUIRE(!none);
  CHECK(none.error().kind == util::ErrorKind::not_found);
  CHECK(none.error().hint.find("kubist cluster add") != std::string::npos);
  two.home->put({{"apiVersion", "v1"},
                 {"kind", "Secret"},
                 {"metadata", {{"name", "eu-kubeconfig"}, {"namespace", "shop"}}}});
  const auto foreign = two.rotate();
  REQUIRE(!foreign);
  CHECK(foreign.error().kind == util::ErrorKind::conflict);
}

TEST_CASE("cluster rotate: an account that the Secret names must be this project's") {
  for (const bool own : {true, false}) {
    for (const char* owner : {"", "?", "another-home/shop"}) {
      CAPTURE(owner);
      TwoClusters two;
      REQUIRE(two.add(two.options()));
      two.plant("kube-system", "some-admin", owner);
      two.target->forget_log();
      two.home->forget_log();
      const auto refused = two.rotate(own);
      REQUIRE(!refused);
      CHECK(refused.error().kind == util::ErrorKind::denied);
      CHECK(refused.error().message.find("system:serviceaccount:kube-system:some-admin") !=
            std::string::npos);
      CHECK(two.target->writes().empty());
      CHECK(two.home->writes().empty());
    }
  }
  TwoClusters two;
  REQUIRE(two.add(two.options()));
  two.plant("..", "some-admin", "");
  const auto refused = two.rotate(false);
  REQUIRE(!refused);
  CHECK(refused.error().kind == util::ErrorKind::conflict);
}

TEST_CASE("cluster rotate: with a context the token goes to its server, not to the Secret's") {
  TwoClusters two;
  REQUIRE(two.add(two.options()));
  const std::string real = two.target->server();
  const std::string planted =
      util::replace_all(two.kubeconfig_at_home(), real, "https://evil.example.com");
  REQUIRE(planted.find("evil") != std::string::npos);
  two.change_secret({{"data", {{"value", util::base64_encode(planted)}}}});
  two.target->before("GET *watch=*", [&] { two.fill("kubist-shop-eu-token-2"); });
  const auto rotated = two.rotate(false);
  REQUIRE_MESSAGE(rotated, rotated.error().to_string());
  CHECK(two.server == real);
  CHECK(two.kubeconfig_at_home().find("evil") == std::string::npos);
  CHECK(two.token_at_home() == "token-of-kubist-shop-eu-token-2");
  CHECK(two.steps.at(1).find("evil") != std::string::npos);
}
