// examples/traffic under Istio itself, by an account with the printed roles.
#include "backend.hpp"
#include "integration/executors/printed_examples.hpp"

using namespace traffic_test;
using namespace it::roles;

namespace {

/// What the check of an Istio that is there lists besides, and the pods of its gateways, which have
/// the addresses of an EntryGateway and what a release counts. docs/background/security.md names
/// the rights.
const Words k_istio_that_is_there{
    "list /api/v1/namespaces?",
    "list /api/v1/pods?labelSelector=app%3Distiod",
    "list /api/v1/pods?labelSelector=service.istio.io%2Fcanonical-name",
    "clusterroles?labelSelector=app%3Distiod",
    "clusterrolebindings?labelSelector=app%3Distiod",
    "list /api/v1/namespaces/istio-ingress/pods?labelSelector=istio%3Dingressgateway",
    "list /api/v1/namespaces/istio-system/pods?labelSelector=istio%3Dingressgateway"};

/// The example, with a host of its own, and a release that may begin at any time of the week.
std::vector<Json> objects_of(const std::string& project) {
  std::string text = yaml_of(example("traffic", "traffic", project));
  text = kubist::util::replace_all(text, "shop.example.com", project + ".example.com");
  return documents(kubist::util::replace_all(text, "0 9 * * MON-THU", "* * * * *"));
}

}  // namespace

TEST_CASE("rights: the example of traffic works with the printed roles") {
  World world("rights");
  const std::string project = world.name();
  const std::string dev = world.name("dev");
  std::vector<Json> objects = objects_of(project);
  world.make_project(project, take_grants(objects, {dev}));
  const Account account(project, {dev});
  adopt_namespaces(objects);
  put("home", {backend(dev, "v1"), backend(dev, "v2")});
  await_ready(dev, {"web-v1", "web-v2"});

  Audit audit("home");
  must(account.kubist({"apply", "-n", project, "-f", "-"}, yaml_of(objects)));
  const CommandResult run = account.kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  for (const char* name : {"destinations/web", "entrygateways/entry", "externalservices/payments",
                           "trafficroutes/shop"}) {
    const auto slash = kubist::util::split(name, '/');
    const auto live = get("home", slash[0] + ".kubist.io", slash[1], project);
    CHECK_MESSAGE(condition(live, "Ready") == "True", name, run.out, run.err);
  }
  const auto release = get("home", "canaryreleases.kubist.io", "shop", project);
  CHECK(text_of(release, {"status", "state"}) == "Waiting");
  CHECK(data::int_at(*release, {"status", "weight"}) == 10);
  must(account.kubist({"delete", "-n", project, "-f", "-", "--timeout=120s"}, yaml_of(objects)));
  Words refused = k_istio_check;
  refused.insert(refused.end(), k_istio_that_is_there.begin(), k_istio_that_is_there.end());
  check_none_refused(audit.requests(account.user()), refused);
}
