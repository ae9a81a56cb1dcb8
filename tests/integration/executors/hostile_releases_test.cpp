// Whom a member's releases and experiments would ask, with what, and what they would run: only what
// the project may have. Unlike the table of hostile_member_test.cpp they need traffic of their own.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "mesh_kinds.hpp"

namespace it::hostile {
namespace {

using kubist::util::cat;

/// A CanaryRelease or an Experiment on a route of its own name, and the reason in its status.
struct Release {
  std::string kind, name, spec, reason;
};

Release experiment(const std::string& name, const std::string& source, const std::string& reason) {
  return {"Experiment", name,
          cat("{virtualClusterRef: {name: dev}, route: ", name,
              ", variants: [{name: a, destination: web, version: v1}, {name: b, destination: web, "
              "version: v2}], interval: 1s, goals: [{name: g, source: {",
              source, "}, count: '{.n}', successes: '{.s}'}]}"),
          reason};
}

Release canary(const std::string& name, const std::string& steps, const std::string& reason,
               const std::string& more = {}) {
  return {
      "CanaryRelease", name,
      cat("{virtualClusterRef: {name: dev}, destination: web, stable: v1, canary: v2, routes: [",
          name, "], interval: 1s, ", more,
          "policies: [{name: Steps, parameters: {steps: [{setWeight: 50}, ", steps, "]}}]}"),
      reason};
}

std::vector<Release> releases(const std::string& other_ns) {
  const std::string address = "AddressNotAllowed";
  const auto json = [](const std::string& ns) {
    return cat("json: {namespace: ", ns, ", service: 'stats:80', path: /stats}");
  };
  const auto url = [](const std::string& text) { return cat("prometheus: {url: '", text, "'}"); };
  const auto authorized = [](const std::string& secret) {
    return cat("prometheus: {url: 'http://metrics.example.com/', authorizationSecretRef: {name: ",
               secret, ", key: value}}");
  };
  const auto webhook = [](const std::string& text) {
    return cat("{webhook: {name: w, url: '", text, "'}}");
  };
  return {experiment("json-system", json("kube-system"), "Forbidden"),
          experiment("json-other", json(other_ns), "Forbidden"),
          experiment("url-link", url("http://169.254.169.254/"), address),
          experiment("url-loop", url("http://127.0.0.1:9090/"), address),
          experiment("url-near", url("http://metrics.example.com.evil.test/"), address),
          experiment("url-user", url("http://metrics.example.com@127.0.0.1/"), address),
          experiment("kept", authorized("kept"), "SecretNotAllowed"),
          canary("hook-link", webhook("http://169.254.169.254/latest"), address),
          canary("hook-loop", webhook("http://127.0.0.1:1/"), address),
          canary("hook-metrics", webhook("http://metrics.example.com/"), address),
          canary("job", "{job: {name: j, image: 'localhost/busybox:1', command: [sh]}}",
                 "ImageNotAllowed")};
}

}  // namespace

TEST_CASE("hostile member: releases ask nobody and run nothing that the project does not allow") {
  World world("hostile-release");
  const std::string project = world.name();
  const MeshKinds kinds;
  world.make_project(project, {{"allow", {{"metrics", {"http://metrics.example.com/*"}}}}});
  Json kept = secret(project, "kept", "token");
  kept["metadata"]["labels"] = {{"kubist.io/internal", "true"}};
  put("home",
      {kubist::testing::plain("Namespace", "", world.name("other")), kept,
       object("Cluster", project, "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}}),
       virtual_cluster(project, "dev", "home", world.name("dev"))});
  must(run_kubist({"reconcile", "Project/" + project}));
  for (const char* version : {"v1", "v2"}) {
    make_ready_pod(world.name("dev"), version);
  }
  std::vector<Json> objects{object("Destination", project, "web",
                                   yaml("{virtualClusterRef: {name: dev}, ports: [{port: 80, "
                                        "targetPort: 8080}], subsets: {v1: {labels: "
                                        "{version: v1}}, v2: {labels: {version: v2}}}}"))};
  const std::vector<Release> all = releases(world.name("other"));
  for (const Release& each : all) {
    objects.push_back(object(
        "TrafficRoute", project, each.name,
        yaml(cat("{virtualClusterRef: {name: dev}, hosts: [", each.name,
                 ".example.com], routes: [{weights: [{destination: web, version: v1}]}]}"))));
    objects.push_back(object(each.kind, project, each.name, yaml(each.spec)));
  }
  put("home", objects);

  Audit audit("home");
  const auto status = [&](const Release& each) {
    const auto live = get(
        "home", each.kind == "Experiment" ? "experiments.kubist.io" : "canaryreleases.kubist.io",
        each.name, project);
    return live ? live->value("status", Json::object()).dump() : "";
  };
  const auto is_refused = [&](const Release& each) {
    return status(each).find(each.reason) != std::string::npos;
  };
  eventually([&] {
    run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=5s"}));
    return std::all_of(all.begin(), all.end(), is_refused);
  });
  for (const Release& each : all) {
    CHECK_MESSAGE(is_refused(each), each.name, ": ", status(each));
  }
  const std::string account = cat("system:serviceaccount:", project, ":kubist-project");
  std::size_t asked = 0;
  for (const Json& event : audit.requests(world.user())) {
    const std::string uri = event.value("requestURI", "");
    if (uri.find("/proxy") != std::string::npos) {
      ++asked;
      CHECK_MESSAGE(event.value("/impersonatedUser/username"_json_pointer, "") == account, uri);
      CHECK_MESSAGE(event.value("/responseStatus/code"_json_pointer, 0) == 403, uri);
    }
  }
  CHECK(asked >= 2);  // json-system and json-other
  for (const AuditedWrite& write : audit.writes(world.user())) {
    CHECK_MESSAGE(write.resource != "pods", write.to_string());
  }
}

}  // namespace it::hostile
