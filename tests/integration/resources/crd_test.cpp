// The CRDs and their rules on a real API server, with kubectl as the client. Uses the API-only
// cluster target2 where there is one, so that CRDs installed here meet nobody else's.
#include <filesystem>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>

#include "support/paths.hpp"

using namespace kubist;
using data::Json;

namespace {

const char* const k_namespace = "resources-rules";

std::string kubeconfig() {
  std::string home = util::environment("KUBECONFIG");
  REQUIRE_MESSAGE(!home.empty(), "run integration tests through tests/cluster/cluster exec");
  auto target = std::filesystem::path(home).parent_path() / "target2";
  return std::filesystem::exists(target) ? target.string() : home;
}

util::CommandResult kubectl(std::vector<std::string> args, const std::string& input = {}) {
  util::Command command;
  command.args = {"kubectl", "--kubeconfig", kubeconfig()};
  command.args.insert(command.args.end(), args.begin(), args.end());
  command.input = input;
  command.timeout = std::chrono::seconds(60);
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
  must(kubectl({"apply", "--server-side", "--force-conflicts", "-f", "-"}, all_crds()));
  must(kubectl({"wait", "--for=condition=Established", "--timeout=30s", "-f", "-"}, all_crds()));
  must(kubectl({"apply", "--server-side", "-f", "-"},
               R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"resources-rules"}})"));
}

bool is_cluster_scoped(const Json& object) {
  const Json* crd = resources::crd(
      resources::group_of(object.at("apiVersion").get_ref<const std::string&>()),
      object.at("kind").get_ref<const std::string&>());
  REQUIRE(crd != nullptr);
  return crd->at("spec").at("scope") == "Cluster";
}

util::CommandResult apply(Json object, bool dry_run) {
  if (!is_cluster_scoped(object)) {
    object["metadata"]["namespace"] = k_namespace;
  }
  std::vector<std::string> args = {"apply", "--server-side", "--force-conflicts",
                                   "--validate=strict", "-f", "-"};
  if (dry_run) {
    args.push_back("--dry-run=server");
  }
  return kubectl(args, object.dump());
}

void remove(const Json& object) {
  std::vector<std::string> args = {"delete", "--wait=true", "--timeout=30s",
                                   object.at("kind").get<std::string>() + "." +
                                       std::string(resources::group_of(
                                           object.at("apiVersion").get_ref<const std::string&>())),
                                   object.at("metadata").at("name").get<std::string>()};
  if (!is_cluster_scoped(object)) {
    args.insert(args.end(), {"-n", k_namespace});
  }
  must(kubectl(args));
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
  if (!test.contains("error")) {
    CHECK_MESSAGE(result.exit_code == 0, result.err);
    return;
  }
  CHECK(result.exit_code != 0);
  CHECK_MESSAGE(result.err.find(test["error"].get<std::string>()) != std::string::npos, result.err);
}

}  // namespace

TEST_CASE("crd: the API server takes every CRD without a warning") {
  auto result =
      kubectl({"apply", "--dry-run=server", "--server-side", "--force-conflicts",
               "--validate=strict", "-f", "-"},
              all_crds());
  CHECK_MESSAGE(result.exit_code == 0, result.err);
  CHECK(result.err == "");
}

TEST_CASE("crd: the API server keeps the rules as their twins do") {
  install();
  for (auto file : {"tree.yaml", "definitions.yaml", "executions.yaml", "traffic.yaml"}) {
    for (const auto& document : cases(file)) {
      run_case(document.value);
    }
  }
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
  auto explained = kubectl({"explain", "cluster.spec.kubeconfigSecretRef.key", "--api-version",
                            "kubist.io/v1alpha1"});
  CHECK_MESSAGE(explained.out.find("The key in it.") != std::string::npos, explained.out);
  remove(cluster);
}

TEST_CASE("crd: a DeployItem keeps fields that nobody knows") {
  install();
  Json item = {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
               {"kind", "DeployItem"},
               {"metadata", {{"name", "foreign"}}},
               {"spec", {{"type", "x"}, {"new", {{"a", 1}}}, {"target", {{"b", 2}}}}}};
  must(apply(item, false));
  Json status = {{"status",
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
