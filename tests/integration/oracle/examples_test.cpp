// examples/ on a real API server, with kubectl as the oracle.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"
#include "support/paths.hpp"

namespace {

using namespace it;
using namespace kubist;

const std::string k_folder = kubist::paths::source_dir() + "/examples";
const std::vector<std::string> k_projects{"quickstart", "shop", "traffic"};

void delete_namespaces() {
  Words words{"delete",         "namespace", "--ignore-not-found", "--timeout=60s", "deployitems",
              "quickstart-dev", "shop-dev",  "shop-test",          "traffic-dev"};
  words.insert(words.end(), k_projects.begin(), k_projects.end());
  kubectl("home", words);
  kubectl("target1", {"delete", "namespace", "shop-eu", "--ignore-not-found", "--wait=false"});
}

/// Nothing of the examples before and after; the names are the examples' own, so one test at a
/// time.
class Examples {
 public:
  Examples() {
    install_crds();
    clean();
  }
  ~Examples() { clean(); }
  Examples(const Examples&) = delete;
  Examples& operator=(const Examples&) = delete;

  void clean() {
    kubectl("home", {"delete", "-R", "-f", k_folder, "--ignore-not-found", "--wait=false"});
    for (const std::string& ns : k_projects) {
      drop("kvc,kcl,kexec,kdest,kgw,kext,kroute,canaryreleases,experiments,deployitems,secrets",
           ns);
    }
    drop("kproj,kroot", "");
    delete_namespaces();
  }

 private:
  static void drop(const std::string& types, const std::string& ns) {
    Words words{"get", types, "--ignore-not-found", "-o",
                "jsonpath={range .items[?(@.metadata.finalizers)]}{.kind}/{.metadata.name}{\"\\n\"}"
                "{end}"};
    if (!ns.empty()) {
      words.insert(words.end(), {"-n", ns});
    }
    for (const std::string& line : util::split(kubectl("home", words).out, '\n')) {
      const std::string name = line.substr(line.find('/') + 1);
      const bool ours = !ns.empty() || name == "root" || name == "shop" || name == "quickstart" ||
                        name == "traffic";
      if (line.empty() || !ours) {
        continue;
      }
      Words patch{"patch", line, "--type=merge", "-p", R"({"metadata":{"finalizers":null}})"};
      if (!ns.empty()) {
        patch.insert(patch.end(), {"-n", ns});
      }
      kubectl("home", patch);
    }
  }
};

/// All objects of the examples as the server has them, by kind, namespace and name.
std::map<std::string, Json> live_examples() {
  const Json list =
      Json::parse(must(kubectl("home", {"get", "-R", "-f", k_folder, "-o", "json",
                                        "--show-managed-fields", "--ignore-not-found"})));
  std::map<std::string, Json> found;
  for (const Json& item : list["items"]) {
    found[util::cat(data::string_at(item, {"kind"}), '/',
                    data::string_at(item, {"metadata", "namespace"}), '/',
                    data::string_at(item, {"metadata", "name"}))] = item;
  }
  return found;
}

/// Without what two servers' answers may differ in.
Json comparable(Json object) {
  for (const std::string_view key : {"uid", "resourceVersion", "creationTimestamp"}) {
    data::erase_path(object, {"metadata", key});
  }
  object.erase("status");  // the server writes it when it serves a CustomResourceDefinition
  Json applied = Json::array();
  for (Json& entry : object["metadata"]["managedFields"]) {
    if (entry["operation"] == "Apply") {
      entry.erase("time");
      entry.erase("manager");
      applied.push_back(entry);
    }
  }
  object["metadata"]["managedFields"] = applied;
  return object;
}

bool of_examples(const AuditedWrite& write) {
  const std::string& ns = write.ns.empty() ? write.name : write.ns;
  return ns == "root" || ns == "deployitems" || ns.starts_with("quickstart") ||
         ns.starts_with("shop") || ns.starts_with("traffic") ||
         write.resource == "clusterpolicydefinitions" || write.resource == "executordefinitions";
}

std::string own_writes(Audit& audit, const std::string& user, std::size_t& reads) {
  std::string text;
  for (const AuditedWrite& write : audit.writes(user, &reads)) {
    if (of_examples(write)) {
      text += write.to_string() + '\n';
    }
  }
  return text;
}

void make_eu_secret() {
  must(kubectl("home", {"create", "secret", "generic", "eu-kubeconfig", "-n", "shop",
                        "--from-file=value=" + kubeconfig("target1").string()}));
}

// The password that examples/shop imports, and runs that read, write and pass it on.
void check_no_password() {
  for (const Words& words :
       {Words{"reconcile", "Execution/migrate", "--force"}, Words{"get", "di,kexec"},
        Words{"describe", "kexec", "migrate"}, Words{"deployitem", "list"},
        Words{"deployitem", "logs", "migrate-prepare"},
        Words{"deployitem", "exports", "migrate-prepare"}, Words{"events"}}) {
    Words args = words;
    args.insert(args.end(), {"-n", "shop", "-v", "9"});
    const CommandResult result = run_kubist(args);
    CAPTURE(util::join(args, " "));
    CHECK_MESSAGE(result.exit_code == 0, result.err.substr(0, 500));
    for (const char* form : {"change-me", "Y2hhbmdlLW1l"}) {
      CHECK(result.out.find(form) == std::string::npos);
      CHECK(result.err.find(form) == std::string::npos);
    }
  }
}

const std::set<std::string> k_definitions{"PolicyDefinition", "ClusterPolicyDefinition",
                                          "ExecutorDefinition"};

}  // namespace

TEST_CASE("examples: apply makes the objects that kubectl makes") {
  Examples examples;
  for (const char* ns : {"quickstart", "shop", "traffic", "deployitems"}) {
    must(kubectl("home", {"create", "namespace", ns}));
  }
  must(kubectl("home", {"apply", "--server-side", "-R", "-f", k_folder}));
  const auto theirs = live_examples();
  examples.clean();

  const CommandResult applied = run_kubist({"apply", "-R", "-f", k_folder});
  REQUIRE_MESSAGE(applied.exit_code == 0, applied.out, applied.err);
  const auto ours = live_examples();
  REQUIRE(ours.size() == theirs.size());
  CHECK(ours.size() > 15);
  for (const auto& [key, object] : ours) {
    CAPTURE(key);
    REQUIRE(theirs.contains(key));
    CHECK(comparable(object) == comparable(theirs.at(key)));
  }
  // stringData is never read back, so that to another manager it is always a conflict.
  for (const char* manager : {"--field-manager=kubist", "--field-manager=kubectl"}) {
    const CommandResult diff = kubectl(
        "home", {"diff", "--server-side", "--force-conflicts", manager, "-R", "-f", k_folder});
    CHECK_MESSAGE(diff.exit_code == 0, diff.out, diff.err);
  }
  CHECK(run_kubist({"diff", "-R", "-f", k_folder}).exit_code == 0);
}

TEST_CASE("examples: reconciled they are Ready for kubectl, and a second run writes nothing") {
  World world("examples");
  Examples examples;
  must(run_kubist(world.as_user({"apply", "-R", "-f", k_folder})));
  make_eu_secret();
  const Words reconcile = world.as_user({"reconcile", "Project/shop", "Project/quickstart"});
  // Its other children may be those of other tests, so that the Root is judged by itself.
  const CommandResult whole =
      run_kubist(world.as_user({"reconcile", "Root/root", "--timeout=150s"}));
  CHECK_MESSAGE(condition(get("home", "kroot", "root"), "Ready") == "True", whole.out, whole.err);
  const CommandResult first = run_kubist(reconcile);
  REQUIRE_MESSAGE(first.exit_code == 0, first.out, first.err);

  std::set<std::string> kinds;
  for (const auto& [key, object] : live_examples()) {
    const std::string kind(data::string_at(object, {"kind"}));
    const bool ours = data::string_at(object, {"apiVersion"}).starts_with("kubist.io/");
    // Traffic needs Istio, which this cluster has not.
    const bool traffic = key.find("/traffic/") != std::string::npos || key == "Project//traffic";
    if (!ours || k_definitions.contains(kind) || traffic) {
      continue;
    }
    kinds.insert(kind);
    const std::string ns(data::string_at(object, {"metadata", "namespace"}, "default"));
    must(kubectl("home", {"wait", "--for=condition=Ready", "--timeout=5s", "-n", ns,
                          kind + ".kubist.io/" +
                              std::string(data::string_at(object, {"metadata", "name"}))}));
  }
  CHECK(kinds.size() == 5);
  CHECK((*get("home", "namespace", "shop-test"))["metadata"]["labels"]["tier"] == "gold");
  CHECK((*get("home", "namespace", "shop-dev"))["metadata"]["labels"]["istio-injection"] ==
        "enabled");
  const auto page = get("home", "configmap", "page", "shop-dev");
  REQUIRE(page);
  CHECK((*page)["data"] == Json{{"color", "blue"}, {"table", "orders"}});

  const std::string target_user =
      must(kubectl("target1", {"auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"}));
  std::size_t reads = 0;
  Audit home("home");
  Audit target("target1");
  const CommandResult second = run_kubist(reconcile);
  CHECK_MESSAGE(second.exit_code == 0, second.out, second.err);
  CHECK_MESSAGE(second.out.find("; 0 writes") != std::string::npos, second.out);
  CHECK(own_writes(home, world.user(), reads) == "");
  CHECK(reads > 5);
  CHECK(target.writes(target_user, &reads).empty());
  CHECK(reads > 3);

  Audit apply("home");
  const CommandResult again = run_kubist(world.as_user({"apply", "-R", "-f", k_folder}));
  CHECK(again.exit_code == 0);
  CHECK(again.out.find(" configured") == std::string::npos);
  CHECK(own_writes(apply, world.user(), reads) == "");
  check_no_password();
}

TEST_CASE("examples: the executor and policies of the first YAML work as they were written") {
  World world("seed");
  const std::string project = world.name();
  world.make_project(project);
  const std::string policy = R"(
apiVersion: kubist.io/v1alpha1
kind: PolicyDefinition
metadata: {name: NAME, namespace: PROJECT}
spec:
  parameters: {type: object, properties: {someParam: {type: string}}}
  runtime:
    jsonnet:
      source: |
        function(list)
          local host = std.asciiLower(std.strReplace(list.functionConfig.parameters.someParam, ' ', ''));
          list { items: [super.items[0] { spec+: { hosts+: [host + '.example.com'] } }] }
---
)";
  const std::string executor = R"(
apiVersion: kubist.io/v1alpha1
kind: ExecutorDefinition
metadata: {name: someexecutor}
spec:
  parameters: {type: object, properties: {someParam: {type: string}}}
  runtime:
    jsonnet:
      source: |
        function(list) list { items: [list.items[0], {
          apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen' },
          data: list.functionConfig.parameters { hosts: std.join(' ', list.items[0].spec.hosts) },
        }] }
---
)";
  const std::string text = R"(
apiVersion: kubist.io/v1alpha1
kind: Cluster
metadata: {name: home, namespace: PROJECT}
spec: {home: true}
---
apiVersion: kubist.io/v1alpha1
kind: VirtualCluster
metadata: {name: dev, namespace: PROJECT}
spec:
  clusterRef: {name: home}
  namespace: PROJECT-dev
---
apiVersion: kubist.io/v1alpha1
kind: ExternalService
metadata:
  name: api
  namespace: PROJECT
spec:
  virtualClusterRef: {name: dev}
  hosts: [api.example.com]
  ports: [{number: 443, name: https, protocol: TLS}]
  executor:
      name: SomeExecutor
      parameters:
        someParam: someValue1
  policies:
    - name: SomePolicy1
      parameters:
        someParam: someValue2
    - name: SomePolicy2
      parameters:
        someParam: someValue 3    
)";
  const std::string input =
      util::replace_all(util::replace_all(policy, "NAME", "somepolicy1") +
                            util::replace_all(policy, "NAME", "somepolicy2") + executor + text,
                        "PROJECT", project);
  must(run_kubist({"validate", "-f", "-"}, input));
  must(run_kubist({"apply", "-f", "-"}, input));
  must(run_kubist({"reconcile", "Project/" + project}));
  const auto made = get("home", "configmap", "seen", world.name("dev"));
  must(run_kubist({"delete", "ExternalService/api", "-n", project}));
  it::remove("home", "executordefinitions.kubist.io", "someexecutor");
  REQUIRE(made);
  CHECK((*made)["data"] ==
        Json{{"someParam", "someValue1"},
             {"hosts", "api.example.com somevalue2.example.com somevalue3.example.com"}});
}
