// What an installation is read from and checked against: the manifests that istioctl printed.
#include <doctest/doctest.h>

#include <kubist/istio/check.hpp>
#include <kubist/istio/preflight.hpp>
#include <kubist/istio/stages.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "installation.hpp"
#include "support.hpp"

namespace {

using namespace it;
namespace kube = kubist::kube;
namespace util = kubist::util;
namespace istio = kubist::istio;

std::string manifest_path() {
  const std::string path = util::environment("KUBIST_ISTIO_MANIFEST");
  REQUIRE_MESSAGE(!path.empty(), "run this through tests/cluster/lane");
  return path;
}

istio::Bundle real_bundle() {
  auto bundle = istio::read_bundle({manifest_path(), ""}, {"1.31.0", "default"});
  REQUIRE_MESSAGE(bundle, (bundle ? "" : bundle.error().to_string()));
  return std::move(*bundle);
}

std::shared_ptr<kube::Client> client_as(const std::string& user) {
  kube::Overrides overrides;
  overrides.as = user;
  auto access = kube::find_access(overrides, kube::process_environment());
  REQUIRE(access);
  auto client = kube::Client::connect(std::move(*access));
  REQUIRE(client);
  return *client;
}

std::string codes(const std::vector<istio::Obstacle>& obstacles) {
  std::string all;
  for (const istio::Obstacle& each : obstacles) {
    all += each.code + '\n';
  }
  return all;
}

}  // namespace

TEST_CASE("istio bundle: what istioctl prints is whole, in the order of an installation") {
  const istio::Bundle bundle = real_bundle();
  CHECK(bundle.ns == "istio-system");
  CHECK(bundle.sha256 == util::sha256_hex(util::read_file(manifest_path()).value()));
  std::vector<istio::Stage> stages;
  std::size_t objects = 0;
  for (const istio::StagedObjects& each : istio::stages_of(bundle)) {
    stages.push_back(each.stage);
    objects += each.objects.size();
  }
  CHECK(stages == std::vector<istio::Stage>{istio::Stage::base, istio::Stage::control_plane,
                                            istio::Stage::webhooks, istio::Stage::gateways});
  CHECK(objects == bundle.manifests.size() + 1);  // the namespace
}

TEST_CASE("istio bundle: what istioctl prints, cut between any two documents, is refused") {
  const auto text = util::read_file(manifest_path());
  REQUIRE(text);
  std::vector<std::size_t> cuts;
  for (std::size_t at = text->find("\n---"); at != text->npos; at = text->find("\n---", at + 1)) {
    cuts.push_back(at + 1);
  }
  REQUIRE(cuts.size() > 30);
  // The CRDs come first and are nearly all of it: a few of those cuts will do.
  std::size_t passed = 0;
  for (std::size_t index = 0; index < cuts.size(); index += index < 15 ? 5 : 1) {
    const auto bundle = istio::read_bundle({"istio.yaml", "", {}, text->substr(0, cuts[index])});
    passed += bundle ? 1 : 0;
    if (bundle) {
      MESSAGE("whole without what follows: ", text->substr(cuts[index], 200));
    }
  }
  CHECK(passed <= 1);  // all but the empty rest behind the last separator
}

TEST_CASE("istio preflight: an administrator meets no obstacle, others are told which") {
  istio_it::ensure_absent();
  const istio::Bundle bundle = real_bundle();
  const World world("istio-preflight");
  Audit audit("home");
  const auto admin = client_as("");
  const auto evidence = istio::gather(*admin);
  REQUIRE(evidence);
  CHECK(codes(istio::find_obstacles(bundle, *evidence)) == "");
  const auto all = istio::check_rights(*admin, bundle);
  REQUIRE_MESSAGE(all, (all ? "" : all.error().to_string()));
  CHECK(codes(*all) == "");

  // One who may write all of these kinds, but has not the rights that istiod's role grants.
  const std::string user = world.user();
  const Json everything = Json::array({"*"});
  const Json verbs = Json::array({"get", "create", "patch"});
  const auto grant = [&](const char* kind, Json body) {
    body["apiVersion"] = "rbac.authorization.k8s.io/v1";
    body["kind"] = kind;
    body["metadata"]["name"] = user;
    put("home", {body});
  };
  grant("ClusterRole",
        {{"rules", {{{"apiGroups", everything}, {"resources", everything}, {"verbs", verbs}}}}});
  grant("ClusterRoleBinding",
        {{"roleRef",
          {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", user}}},
         {"subjects",
          {{{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "User"}, {"name", user}}}}});
  std::string found;
  CHECK_MESSAGE(eventually([&] {
                  const auto obstacles = istio::check_rights(*client_as(user), bundle);
                  found = obstacles ? codes(*obstacles) : obstacles.error().to_string();
                  return found.find("forbidden:") == found.npos &&
                         found.find("escalation:istiod-clusterrole-istio-system\n") != found.npos;
                }),
                found);
  kubectl("home", {"delete", "clusterrole,clusterrolebinding", user});

  // One who may nothing.
  const auto none = istio::check_rights(*client_as(user + "-nobody"), bundle);
  REQUIRE(none);
  CHECK(codes(*none).find("forbidden:create clusterroles.rbac.authorization.k8s.io\n") !=
        std::string::npos);
  CHECK(codes(*none).find("forbidden:patch deployments.apps in istio-system\n") !=
        std::string::npos);
  CHECK(audit.writes(user).empty());
}
