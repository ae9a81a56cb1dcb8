#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/object.hpp>

#include "run_words.hpp"
#include "support/variable.hpp"

using namespace kubist;
using kubist::testing::run_words;
using kubist::testing::Variable;

TEST_CASE("init: --print needs no cluster") {
  const Variable nowhere("KUBECONFIG", "/nonexistent");
  const auto kinds = run_words({"init", "--print"});
  CHECK_MESSAGE(kinds.code == 0, kinds.err);
  const auto objects = data::read_documents(kinds.out, "printed");
  REQUIRE(objects);
  CHECK(objects->size() == resources::crds().size() + 2);
  CHECK(kinds.out.find("kubist.io/version: ") != std::string::npos);

  const auto all = run_words({"init", "--print", "--controller", "--agent-image", "r/k:1"});
  CHECK_MESSAGE(all.code == 0, all.err);
  CHECK(all.out.starts_with(kinds.out));
  CHECK(all.out.find("image: r/k:1") != std::string::npos);
}

TEST_CASE("init: a controller without an image says how one is made and named") {
  const Variable nowhere("KUBECONFIG", "/nonexistent");
  const Variable none("KUBIST_AGENT_IMAGE", "");
  const Variable no_own("KUBIST_IMAGE", "");
  const auto done = run_words({"init", "--print", "--controller"});
  CHECK(done.code == 1);
  CHECK_MESSAGE(done.err.find("packaging/image") != std::string::npos, done.err);
  CHECK(done.out.empty());
}

TEST_CASE("init: --print-rbac takes no account in a namespace of the project") {
  const Variable nowhere("KUBECONFIG", "/nonexistent");
  const std::vector<std::string> print{
      "init",     "--print-rbac",     "-n",       "shop", "--home-namespace",
      "shop-dev", "--home-namespace", "shop-prod"};
  const auto with = [&](const std::string& account) {
    auto words = print;
    words.insert(words.end(), {"--service-account", account});
    return run_words(words);
  };
  for (const std::string ns : {"shop", "shop-dev", "shop-prod"}) {
    const auto refused = with(ns + "/kubist");
    CHECK(refused.code == 64);
    CHECK(refused.out.empty());
    CHECK_MESSAGE(refused.err.find("--service-account " + ns +
                                   "/kubist is in a namespace of the project") != std::string::npos,
                  refused.err);
  }
  CHECK(with("ci/kubist").code == 0);
  CHECK(run_words(print).code == 0);
  // Without -n the project's namespace is `default`.
  CHECK(run_words({"init", "--print-rbac", "--service-account", "default/kubist"}).code == 64);
}

TEST_CASE("init: --print-rbac --create-namespaces lets kubist make those that are named") {
  const Variable nowhere("KUBECONFIG", "/nonexistent");
  std::vector<std::string> words{"init", "--print-rbac", "-n", "shop", "--create-namespaces"};
  const auto none = run_words(words);
  CHECK(none.code == 64);
  CHECK_MESSAGE(none.err.find("--create-namespaces without --home-namespace") != std::string::npos,
                none.err);
  words.insert(words.end(), {"--home-namespace", "shop-dev"});
  const auto printed = run_words(words);
  CHECK_MESSAGE(printed.code == 0, printed.err);
  CHECK(printed.out.find("namespace: shop-dev") == std::string::npos);  // nothing can be in it yet
  CHECK(printed.out.find("bind") != std::string::npos);
}

namespace {

/// Names of all the ServiceAccounts that are bound, in that namespace, by a binding of that name.
std::vector<std::string> bound(const std::vector<data::Document>& printed, std::string_view ns,
                               std::string_view name) {
  std::vector<std::string> names;
  for (const data::Document& each : printed) {
    const resources::ObjectView view(each.value);
    if (view.kind() == "RoleBinding" && view.ns() == ns && view.name() == name) {
      for (const data::Json& subject : each.value["subjects"]) {
        names.push_back(subject["name"]);
      }
    }
  }
  return names;
}

/// Who may be impersonated by these roles.
std::vector<std::string> impersonated(const std::vector<data::Document>& printed) {
  std::vector<std::string> names;
  for (const data::Document& each : printed) {
    for (const data::Json& rule : each.value.value("rules", data::Json::array())) {
      if (rule["verbs"] == data::Json::array({"impersonate"})) {
        REQUIRE(rule.contains("resourceNames"));
        for (const data::Json& name : rule["resourceNames"]) {
          names.push_back(name);
        }
      }
    }
  }
  return names;
}

std::size_t accounts(const std::vector<data::Document>& printed) {
  return static_cast<std::size_t>(std::count_if(
      printed.begin(), printed.end(),
      [](const data::Document& each) { return each.value["kind"] == "ServiceAccount"; }));
}

}  // namespace

TEST_CASE("init: --print-rbac --project-account is for a Project that names its account") {
  using Names = std::vector<std::string>;
  const Variable nowhere("KUBECONFIG", "/nonexistent");
  const auto print = [](const Names& more) {
    Names words{"init", "--print-rbac", "-n", "shop", "--home-namespace", "shop-dev"};
    words.insert(words.end(), more.begin(), more.end());
    const auto done = run_words(words);
    CHECK_MESSAGE(done.code == 0, done.err);
    const auto printed = data::read_documents(done.out, "printed");
    REQUIRE(printed);
    return *printed;
  };
  const auto usual = print({});
  CHECK(impersonated(usual) == Names{"kubist-project"});
  CHECK(accounts(usual) == 1);
  for (const Names& named : {Names{"tool"}, Names{"tool", "old"}}) {
    Names words;
    for (const std::string& name : named) {
      words.insert(words.end(), {"--project-account", name});
    }
    const auto printed = print(words);
    CHECK(impersonated(printed) == named);
    CHECK(accounts(printed) == 0);  // it is an administrator's
    for (const char* ns : {"shop", "shop-dev"}) {
      CHECK(bound(printed, ns, "kubist-project") == named);
    }
  }
  const auto moving = print({"--project-account", "kubist-project", "--project-account", "tool"});
  CHECK(accounts(moving) == 1);
}
