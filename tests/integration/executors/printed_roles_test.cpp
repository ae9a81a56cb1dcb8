// The printed roles suffice for traffic, reading by name and watching, and give no more. Istio is
// not here, its kinds are: what counts are the requests.
#include "printed_roles.hpp"

#include <signal.h>

#include "mesh_kinds.hpp"

namespace {

using namespace it;
using namespace it::roles;

/// All that a project may hold and that needs no pod: kind and name to spec.
const std::vector<std::pair<std::string, std::string>> k_specs{
    {"PolicyDefinition/nothing", "{runtime: {jsonnet: {source: 'function(list) list'}}}"},
    {"Cluster/home", "{home: true, istio: {mode: Ignore}}"},
    {"VirtualCluster/dev",
     "{clusterRef: {name: home}, namespace: HOME, adopt: true, deletionPolicy: Delete}"},
    {"Execution/job",
     "{items: [{name: one, type: Templates, template: \"function(all) [{name: 'a', type: "
     "'kubist.io/mock', config: {}}]\"}]}"},
    {"Destination/web",
     "{virtualClusterRef: {name: dev}, ports: [{port: 80, targetPort: 8080}], subsets: {v1: "
     "{labels: {version: v1}}, v2: {labels: {version: v2}}}}"},
    {"EntryGateway/entry",
     "{virtualClusterRef: {name: dev}, servers: [{port: 80, hosts: [shop.example.com]}]}"},
    {"ExternalService/api",
     "{virtualClusterRef: {name: dev}, hosts: [api.example.org], ports: [{number: 443}]}"},
    {"TrafficRoute/web",
     "{virtualClusterRef: {name: dev}, hosts: [shop.example.com], gateways: [entry], routes: "
     "[{weights: [{destination: web, version: v1}]}]}"},
    {"Destination/split",
     "{virtualClusterRef: {name: dev}, mode: Services, selector: {app: web}, ports: [{port: 80, "
     "targetPort: 8080}], subsets: {v1: {labels: {version: v1}}}}"},
    {"TrafficRoute/inner",
     "{virtualClusterRef: {name: dev}, mode: HTTPRoute, hosts: [split], routes: [{weights: "
     "[{destination: split, version: v1}]}]}"},
    {"CanaryRelease/web",
     "{virtualClusterRef: {name: dev}, destination: web, stable: v1, canary: v2, routes: [web], "
     "interval: 1h, policies: [{name: Timed, parameters: {step: 1h}}]}"},
    {"Experiment/button",
     "{virtualClusterRef: {name: dev}, route: web, variants: [{name: control, destination: web, "
     "version: v1}, {name: green, destination: web, version: v2}], maxDuration: 10m, goals: "
     "[{name: answered, source: {json: {namespace: HOME, service: 'stats:80', path: /}}, count: "
     "'{.n}', successes: '{.s}'}]}"}};

/// What kubist asks for in Istio's namespaces and does without: the gateway's pods for an
/// EntryGateway's addresses.
const std::vector<std::string> k_done_without{"/pods?labelSelector=istio%3Dingressgateway"};

/// Cluster-scoped ones that are asked for by name; none is there.
const std::vector<Words> k_named{{"get", "roots.kubist.io", "root"},
                                 {"get", "executordefinitions.kubist.io", "none"},
                                 {"get", "clusterpolicydefinitions.kubist.io", "none"}};

}  // namespace

TEST_CASE("rights: the printed roles are enough for traffic, and none of them is too much") {
  World world("printed");
  const std::string project = world.name();
  const std::string home_ns = world.name("home");
  world.make_project(project, {{"home", {{"namespaces", Json::array({home_ns})}}}});
  const MeshKinds kinds;
  const Account account(project, {home_ns});
  for (const char* version : {"v1", "v2"}) {
    make_ready_pod(home_ns, version);
  }
  std::string input;
  for (const auto& [name, spec] : k_specs) {
    const auto slash = name.find('/');
    const Json made = object(name.substr(0, slash), project, name.substr(slash + 1),
                             yaml(kubist::util::replace_all(spec, "HOME", home_ns)));
    input += made.dump() + "\n---\n";
  }

  Audit audit("home");
  must(account.kubist({"apply", "-n", project, "-f", "-"}, input));
  const auto look = [&] {
    return account.kubist({"reconcile", "Project/" + project, "--timeout=5s"});
  };
  CommandResult run;
  CHECK_MESSAGE(eventually(
                    [&] {
                      run = look();
                      const auto release = get("home", "canaryreleases.kubist.io", "web", project);
                      return data::string_at(*release, {"status", "state"}) == "Waiting";
                    },
                    90),
                run.out, run.err);
  CHECK(condition(get("home", "trafficroutes.kubist.io", "web", project), "Ready") == "True");
  for (const auto& [name, spec] : k_specs) {
    CAPTURE(name);
    must(account.kubist({"get", name, "-n", project}));
  }
  for (const Words& words : k_named) {
    CAPTURE(words[1]);
    const CommandResult none = account.kubist(words);
    CHECK_MESSAGE(none.err.find("not found") != std::string::npos, none.out, none.err);
  }
  check_none_refused(audit.requests(account.user()), k_done_without);

  // What it may not watch in the whole cluster it watches in the project's namespaces.
  {
    Background watch(account.as({"reconcile", "Project/" + project, "--watch"}));
    // The first runs may see what goes before the watches stand.
    for (int times = 0; times < 4; ++times) {
      it::remove("home", "service", "split", home_ns);
      CHECK_MESSAGE(
          eventually([&] { return get("home", "service", "split", home_ns).has_value(); }),
          watch.output());
    }
    CHECK_MESSAGE(watch.output().find("away") == std::string::npos, watch.output());
    watch.signal(SIGTERM);
    CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
  }
  {
    Background watch(account.as({"reconcile", "--watch"}));
    const auto says = [&](const char* words) {
      return eventually([&] { return watch.output().find(words) != std::string::npos; });
    };
    CHECK_MESSAGE(says("Name the projects (project/NAME)"), watch.output());
    watch.signal(SIGTERM);
    CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
  }

  Audit removal("home");
  must(account.kubist({"delete", "-n", project, "-f", "-", "--timeout=100s"}, input));
  check_none_refused(removal.requests(account.user()));
  std::vector<Right> rights = account.rights();
  std::erase_if(rights, [](const Right& right) { return !needs_no_pod(right); });
  check_needed(rights, audit.requests(account.user()), {});
}
