// The CRDs and their rules on a real API server: the API-only cluster target2, where CRDs that are
// installed here meet nobody else's.
#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>

#include "support/live.hpp"
#include "support/paths.hpp"

using namespace kubist;
using data::Json;

namespace {

const char* const k_cluster = "target2";
const char* const k_namespace = "resources-rules";

util::CommandResult kubectl(std::vector<std::string> args, const std::string& input = {}) {
  util::Command command;
  command.args = {"kubectl", "--kubeconfig", it::kubeconfig(k_cluster)};
  command.args.insert(command.args.end(), args.begin(), args.end());
  command.input = input;
  command.timeout = std::chrono::minutes(4);
  auto result = util::run_command(command);
  REQUIRE_MESSAGE(result, (result ? "" : result.error().to_string()));
  return *result;
}

void must(const util::CommandResult& result) {
  REQUIRE_MESSAGE(result.exit_code == 0, result.out << result.err);
}

std::string all_crds() {
  Json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", resources::crds()}};
  return list.dump();
}

void install() {
  static const bool once = [] {
    must(kubectl({"apply", "--server-side", "--force-conflicts", "-f", "-"}, all_crds()));
    must(kubectl({"wait", "--for=condition=Established", "--timeout=120s", "-f", "-"}, all_crds()));
    it::put(k_cluster,
            {{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", k_namespace}}}}});
    return true;
  }();
  static_cast<void>(once);
}

kube::ApiResource resource_of(const Json& object) {
  const auto api_version = object.at("apiVersion").get<std::string>();
  const auto kind = object.at("kind").get<std::string>();
  const std::string group(resources::group_of(api_version));
  const Json* crd = resources::crd(group, kind);
  REQUIRE(crd != nullptr);
  const Json& spec = crd->at("spec");
  return kube::make_resource(group, api_version.substr(group.size() + 1), kind,
                             spec.at("names").at("plural"), spec.at("scope") == "Namespaced");
}

/// In this process: a kubectl for each case would take half a minute.
util::Result<kube::Reply> apply(Json object, bool dry_run) {
  const kube::ApiResource resource = resource_of(object);
  if (resource.namespaced) {
    object["metadata"]["namespace"] = k_namespace;
  }
  kube::ApplyOptions options;
  options.force = true;
  options.dry_run = dry_run ? kube::DryRun::server : kube::DryRun::none;
  return it::client(k_cluster)->run(kube::apply(resource, object, options));
}

void must(const util::Result<kube::Reply>& reply) {
  REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().to_string()));
}

/// It has no finalizers: it is gone then.
void remove(const Json& object) {
  const kube::ApiResource resource = resource_of(object);
  must(it::client(k_cluster)->run(
      kube::remove(resource, resource.namespaced ? k_namespace : "",
                   object.at("metadata").at("name").get<std::string>())));
}

std::vector<data::Document> cases(const std::string& file) {
  auto text = util::read_file(kubist::paths::source_dir() + "/tests/data/rules/" + file);
  REQUIRE(text);
  auto documents = data::read_documents(*text, file);
  REQUIRE(documents);
  return *documents;
}

void run_case(const Json& test) {
  CAPTURE(test.at("name"));
  bool update = test.contains("old");
  if (update) {
    must(apply(test["old"], false));
  }
  auto result = apply(test.at("object"), true);
  if (update) {
    remove(test["old"]);
  }
  const std::string said = result ? "" : result.error().to_string();
  if (!test.contains("error")) {
    CHECK_MESSAGE(result, said);
    return;
  }
  CHECK_FALSE(result);
  CHECK_MESSAGE(said.find(test["error"].get<std::string>()) != std::string::npos, said);
}

}  // namespace

TEST_CASE("crd: the API server takes every CRD without a warning") {
  auto result = kubectl({"apply", "--dry-run=server", "--server-side", "--force-conflicts",
                         "--validate=strict", "-f", "-"},
                        all_crds());
  CHECK_MESSAGE(result.exit_code == 0, result.err);
  CHECK(result.err == "");
}

TEST_CASE("crd: the API server keeps the rules as their twins do") {
  install();
  std::size_t count = 0;
  for (auto file : {"tree.yaml", "definitions.yaml", "executions.yaml", "traffic.yaml"}) {
    for (const auto& document : cases(file)) {
      run_case(document.value);
      ++count;
    }
  }
  CHECK(count >= 90);
}

TEST_CASE("crd: kubectl shows columns, short names, the category and every field's description") {
  install();
  Json cluster = {{"apiVersion", "kubist.io/v1alpha1"},
                  {"kind", "Cluster"},
                  {"metadata", {{"name", "columns"}}},
                  {"spec", {{"home", true}}}};
  must(apply(cluster, false));
  auto table = kubectl({"get", "kcl", "-n", k_namespace});
  must(table);
  for (auto column : {"NAME", "READY", "REASON", "VERSION", "ISTIO", "AGE"}) {
    CHECK_MESSAGE(table.out.find(column) != std::string::npos, table.out);
  }
  auto all = kubectl({"get", "kubist", "-n", k_namespace, "-o", "name"});
  CHECK(all.out.find("cluster.kubist.io/columns") != std::string::npos);
  auto explained = kubectl(
      {"explain", "cluster.spec.kubeconfigSecretRef.key", "--api-version", "kubist.io/v1alpha1"});
  CHECK_MESSAGE(
      explained.out.find("The key in the Secret that has the kubeconfig.") != std::string::npos,
      explained.out);
  remove(cluster);
}

TEST_CASE("crd: a DeployItem keeps fields that nobody knows") {
  install();
  Json item = {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
               {"kind", "DeployItem"},
               {"metadata", {{"name", "foreign"}}},
               {"spec", {{"type", "x"}, {"new", {{"a", 1}}}, {"target", {{"b", 2}}}}}};
  must(apply(item, false));
  Json status = {
      {"status",
       {{"phase", "Reconciled"},
        {"conditions", {{{"condition1", "healthy"}, {"message", "testing"}}}},
        {"exportGeneration", 2},
        {"exports", {{"value", "xxx"}, {"secretRef", {{"name", "s"}, {"key", "abc"}}}}}}}};
  must(kubectl({"patch", "di", "foreign", "-n", k_namespace, "--subresource=status", "--type=merge",
                "-p", status.dump()}));
  auto text = kubectl({"get", "di", "foreign", "-n", k_namespace, "-o", "json"});
  must(text);
  auto live = data::parse_json(text.out, "kubectl");
  REQUIRE(live);
  CHECK((*live)["spec"]["new"]["a"] == 1);
  CHECK((*live)["spec"]["target"]["b"] == 2);
  CHECK((*live)["status"] == status["status"]);
  remove(item);
}
