// An API server that misbehaves: kubist converges, or says clearly why not.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>

#include "rules.hpp"
#include "trial.hpp"

namespace {

using namespace faults;
using namespace it;

const Json k_any = Json::object();
const Json k_reads{{"method", "GET"}};
const Json k_writes{{"method", "WRITE"}};
const Json k_creates{{"method", "POST|PUT"}, {"path", "/(configmaps|leases)"}};
const Json k_patches{{"method", "PATCH"}};

std::vector<Row> rows() {
  const Words quick{"--request-timeout=8s"};
  const Json at_dev{{"method", "PATCH"}, {"path", "/(secrets/web|virtualclusters/dev)\\?"}};
  const Words no_login{"GET https://", "/api: the server answered 401 (Unauthorized)", "log in"};
  const Words no_right{"is forbidden: User", "Ask for the right"};
  const Words fault{"PATCH https://", "the server answered 500", "run the command again"};
  const Words no_json{"GET https://", "/api: the answer is not JSON", "behind this address?"};
  const Words silent{"GET https://", "no connection to 127.0.0.1", "Check that this machine can"};
  const Words expired{"GET https://", "certificate has expired", "renewed"};
  return {
      {"none", {}},
      {"latency", {first(30, "latency", {{"milliseconds", 100}})}},
      {"slow requests", {rule("bandwidth", with(k_writes, {{"rate", 4000}}))}},
      {"slow answers", {after(rule("bandwidth", {{"rate", 300000}}))}},
      {"401", {status(0, 401, k_any)}, no_login, 1},
      {"403",
       {status(0, 403, with(at_dev, {{"message", "x is forbidden: User \"y\" cannot patch"}}))},
       no_right,
       1},
      {"409", {status(1, 409, with(at_dev, {{"message", "the object has been modified"}}))}},
      {"429", {status(5, 429, {{"retryAfter", "1"}})}},
      {"429 of writes", {status(3, 429, with(k_writes, {{"retryAfter", "1"}}))}},
      {"429 untold", {status(2, 429, k_writes)}},
      {"500 of reads", {status(2, 500, k_reads)}},
      {"500 of a write", {status(1, 500, at_dev)}, fault, 1},
      {"500 after creates", {after(status(2, 500, k_creates))}},
      {"503 of reads", {status(2, 503, k_reads)}},
      {"503 of creates", {status(2, 503, k_creates)}},
      {"503 of patches", {status(2, 503, k_patches)}},
      {"503 after creates", {after(status(2, 503, k_creates))}},
      {"503 after patches", {after(status(2, 503, k_patches))}},
      {"reset before reads", {first(2, "reset", k_reads)}},
      {"reset before creates", {first(2, "reset", k_creates)}},
      {"reset before patches", {first(2, "reset", k_patches)}},
      {"reset after creates", {after(first(2, "reset", k_creates))}},
      {"reset after patches", {after(first(2, "reset", k_patches))}},
      {"stream reset after creates", {after(first(2, "abort", k_creates))}},
      {"stream reset after patches", {after(first(2, "abort", k_patches))}},
      {"reads cut", {after(first(2, "truncate", with(k_reads, {{"bytes", 200}})))}, no_json, 1},
      {"creates cut", {after(first(2, "truncate", with(k_creates, {{"bytes", 100}})))}},
      {"patches cut", {after(first(2, "truncate", with(k_patches, {{"bytes", 100}})))}},
      {"reads broken off", {after(first(2, "abort", with(k_reads, {{"bytes", 200}})))}},
      {"GOAWAY", {first(10, "goaway", k_any)}},
      {"half-open", {rule("half-open", k_any)}, silent, 1, quick},
      {"silence before a create", {first(1, "silence", k_creates)}, {}, 0, quick},
      {"silence after a create", {after(first(1, "silence", k_creates))}, {}, 0, quick},
      {"silence after a patch", {after(first(1, "silence", k_patches))}, {}, 0, quick},
      {"expired certificate", {rule("expired-certificate", k_any)}, expired, 1},
      {"clock ahead", {rule("date", {{"seconds", 7200}})}},
      {"clock behind", {rule("date", {{"seconds", -7200}})}},
  };
}

std::vector<Json> folder(const std::string& name) {
  const auto object = [&](const std::string& version, const std::string& kind, Json more) {
    more.update({{"apiVersion", version},
                 {"kind", kind},
                 {"metadata", {{"name", "web"}, {"namespace", name}}}});
    return more;
  };
  const Json labels{{"app", "web"}};
  return {{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}},
          object("v1", "ConfigMap", {{"data", {{"key", name}}}}),
          object("v1", "Secret", {{"stringData", {{"key", name}}}}),
          object("v1", "ServiceAccount", {}),
          object("v1", "Service",
                 {{"spec", {{"selector", labels}, {"ports", Json::array({{{"port", 80}}})}}}})};
}

bool folder_is_there(const std::string& name) {
  const Words types{"configmap", "secret", "serviceaccount", "service"};
  return get("home", "configmap", "set", name) &&
         std::all_of(types.begin(), types.end(), [&](const std::string& type) {
           return get("home", type, "web", name).has_value();
         });
}

std::vector<Json> tree(const std::string& name) {
  return {object("Project", "", name), object("Cluster", name, "home", {{"home", true}}),
          virtual_cluster(name, "dev", "home", name + "-dev", in_the_mesh())};
}

bool tree_is_ready(const std::string& name) {
  return condition(vc(name, "dev"), "Ready") == "True" &&
         condition(get("home", "kproj", name), "TreeReady") == "True" &&
         label(name + "-dev", "istio-injection") == "enabled";
}

std::vector<Json> left_by_tree(const std::string& name) {
  std::vector<Json> all;
  for (const auto& [type, called] :
       {std::pair{"kproj", name}, {"namespace", name}, {"namespace", name + "-dev"}}) {
    if (auto live = get("home", type, called)) {
      all.push_back(*std::move(live));
    }
  }
  for (const auto& [type, ns] : {std::pair{"clusters.kubist.io", name},
                                 {"virtualclusters.kubist.io", name},
                                 {"rolebindings", name},
                                 {"rolebindings", name + "-dev"}}) {
    for (Json& object : list("home", type, ns)) {
      all.push_back(std::move(object));
    }
  }
  return all;
}

std::vector<Json> script(const std::string& name) {
  return {object("Project", "", name),
          {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
           {"kind", "DeployItem"},
           {"metadata", {{"name", "run"}, {"namespace", name}}},
           {"spec",
            {{"type", "kubist.io/script"},
             {"config",
              {{"image", "localhost/busybox:1"}, {"script", "echo 'a: 1' > $EXPORT_PATH"}}}}}}};
}

bool script_succeeded(const std::string& name) {
  const auto item = get("home", k_items, "run", name);
  return item && kubist::data::string_at(*item, {"status", "phase"}) == "Succeeded";
}

std::vector<Json> left_by_script(const std::string& name) {
  std::vector<Json> all;
  for (const char* type : {k_items, "pods", "secrets", "serviceaccounts", "roles", "rolebindings",
                           "configmaps", "leases.coordination.k8s.io"}) {
    for (Json& object : list("home", type, name)) {
      all.push_back(std::move(object));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("faults: apply of a folder") {
  try_all("apply",
          {{"apply", "-f", "FOLDER", "-n", "NAME", "--prune", "--inventory", "set"},
           &folder,
           &folder_is_there},
          rows());
}

TEST_CASE("faults: reconcile of a tree") {
  auto all = rows();
  const Json locks{{"method", "POST|PUT"}, {"path", "/leases"}};
  all.push_back({"410 of lists", {status(2, 410, with(k_reads, {{"path", "[?&]limit="}}))}});
  all.push_back({"reset after all writes of the lock", {after(rule("reset", locks))}});
  try_all("tree",
          {{"reconcile", "-f", "FOLDER", "--timeout=200s"}, &tree, &tree_is_ready, &left_by_tree},
          all);
}

TEST_CASE("faults: a script runs once") {
  const Json creates{{"method", "POST|PATCH"}, {"path", "/(pods|secrets|serviceaccounts|roles)"}};
  const Json pods{{"method", "POST"}, {"path", "/pods"}};
  const Json deletions{{"method", "DELETE"}};
  const Json statuses{{"method", "PATCH"}, {"path", "/deployitems/run/status"}};
  const Words quick{"--request-timeout=8s"};
  try_all("script",
          {{"reconcile", "-f", "FOLDER", "--timeout=200s"},
           &script,
           &script_succeeded,
           &left_by_script},
          {{"none", {}},
           {"503 before creates", {status(2, 503, creates)}},
           {"503 after creates", {after(status(0, 503, creates))}},
           {"reset after creates", {after(rule("reset", creates))}},
           {"silence after a pod", {after(first(1, "silence", pods))}, {}, 0, quick},
           {"503 before statuses", {status(2, 503, statuses)}},
           {"503 after statuses", {after(status(2, 503, statuses))}},
           {"reset after statuses", {after(rule("reset", statuses))}},
           {"silence after a status", {after(first(1, "silence", statuses))}, {}, 0, quick},
           {"503 after deletions", {after(status(0, 503, deletions))}},
           {"reset after deletions", {after(rule("reset", deletions))}},
           {"silence after a deletion", {after(first(1, "silence", deletions))}, {}, 0, quick}});
}
