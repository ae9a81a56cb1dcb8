#include <doctest/doctest.h>

#include <kubist/istio/move.hpp>

#include "evidence_support.hpp"

using namespace istio_test;

namespace {

/// Revisions default (1.30.3) and canary (1.31.0), which the tag prod leads to.
Evidence two_revisions() {
  Evidence evidence = healthy_cluster();
  add_revision(evidence, "canary", "1.31.0");
  evidence.injectors->push_back(injector("canary", "prod"));
  return evidence;
}

Json namespace_object(const std::string& name, const Json& labels) {
  return {{"apiVersion", "v1"},
          {"kind", "Namespace"},
          {"metadata", {{"name", name}, {"labels", labels}}}};
}

MeshNamespace shop(const Json& labels = {{"istio-injection", "enabled"}}) {
  return {"shop", namespace_object("shop", labels), {}, {}};
}

Json workload(const std::string& kind, const std::string& name, const Json& spec = Json::object()) {
  return {{"apiVersion", "apps/v1"},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", "shop"}}},
          {"spec", spec}};
}

/// A pod with the proxy of a revision ("": none), made by an object.
Json pod(const std::string& name, const std::string& revision, const std::string& owner_kind = "",
         const std::string& owner = "", const std::string& hash = "") {
  Json made{{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", name}, {"namespace", "shop"}, {"labels", Json::object()}}},
            {"spec", {{"containers", Json::array({{{"name", "main"}}})}}}};
  if (!revision.empty()) {
    made["metadata"]["annotations"]["istio.io/rev"] = revision;
    made["spec"]["initContainers"] = Json::array({{{"name", "istio-proxy"}}});
  }
  if (!owner.empty()) {
    made["metadata"]["ownerReferences"] =
        Json::array({{{"kind", owner_kind}, {"name", owner}, {"controller", true}}});
  }
  if (!hash.empty()) {
    made["metadata"]["labels"]["pod-template-hash"] = hash;
  }
  return made;
}

std::string codes_of(const MovePlan& plan) {
  std::string all;
  for (const Obstacle& each : plan.obstacles) {
    all += each.code + '\n';
  }
  return all;
}

std::string lines_of(const MovePlan& plan) {
  std::string all;
  for (const NamespaceMove& ns : plan.namespaces) {
    for (const Behind& each : ns.behind) {
      all += each.kind + '/' + each.name + ": " + to_string(each) +
             (each.why_not.empty() ? "" : "; " + each.why_not) + '\n';
    }
  }
  return all;
}

}  // namespace

TEST_CASE("istio move: what is behind, by the workload that made it") {
  MeshNamespace ns = shop();
  ns.workloads = {workload("Deployment", "web"), workload("StatefulSet", "db"),
                  workload("DaemonSet", "agent", {{"updateStrategy", {{"type", "OnDelete"}}}}),
                  workload("Deployment", "paused", {{"paused", true}})};
  ns.pods = {pod("web-abc-1", "default", "ReplicaSet", "web-abc", "abc"),
             pod("web-def-1", "canary", "ReplicaSet", "web-def", "def"),
             pod("web-def-2", "", "ReplicaSet", "web-def", "def"),
             pod("db-0", "canary", "StatefulSet", "db"),
             pod("agent-1", "default", "DaemonSet", "agent"),
             pod("paused-abc-1", "default", "ReplicaSet", "paused-abc", "abc"),
             pod("alone", "default"),
             pod("job-1", "default", "Job", "job"),
             pod("rollout-abc-1", "default", "ReplicaSet", "rollout-abc", "abc")};
  Json out = pod("out", "");
  out["metadata"]["labels"]["sidecar.istio.io/inject"] = "false";
  Json gone = pod("gone", "default");
  gone["metadata"]["deletionTimestamp"] = "2026-11-22T00:00:00Z";
  Json done = pod("done", "default");
  done["status"]["phase"] = "Succeeded";
  Json host = pod("host", "");
  host["spec"]["hostNetwork"] = true;
  ns.pods.insert(ns.pods.end(), {out, gone, done, host});
  for (const char* target : {"canary", "prod"}) {
    const MovePlan plan = plan_move(two_revisions(), {ns}, target);
    CHECK(codes_of(plan) == "");
    CHECK(plan.control_plane == "canary");
    CHECK_FALSE(plan.namespaces.at(0).labelled);
    CHECK(lines_of(plan) ==
          "DaemonSet/agent: 1 of 1 pod has the proxy of revision default; its updateStrategy is "
          "OnDelete: delete its pods\n"
          "Deployment/paused: 1 of 1 pod has the proxy of revision default; it is paused: resume "
          "it first\n"
          "Deployment/web: 2 of 3 pods have no proxy or the proxy of revision default\n"
          "Job/job: 1 of 1 pod has the proxy of revision default; restart the Job by what made "
          "it\n"
          "Pod/alone: 1 of 1 pod has the proxy of revision default; delete it and make it again\n"
          "ReplicaSet/rollout-abc: 1 of 1 pod has the proxy of revision default; restart the "
          "ReplicaSet by what made it\n");
  }
}

TEST_CASE("istio move: labels that are as they should be") {
  const auto labelled = [](const Json& labels, const char* target) {
    const MovePlan plan = plan_move(two_revisions(), {shop(labels)}, target);
    CHECK(codes_of(plan) == "");
    return plan.namespaces.at(0).labelled;
  };
  CHECK(labelled({{"istio.io/rev", "canary"}}, "canary"));
  CHECK_FALSE(labelled({{"istio.io/rev", "canary"}}, "prod"));
  CHECK_FALSE(labelled({{"istio.io/rev", "canary"}, {"istio-injection", "enabled"}}, "canary"));
  CHECK_FALSE(labelled(Json::object(), "canary"));
}

TEST_CASE("istio move: a revision that is not there, or does not work") {
  const MovePlan none = plan_move(two_revisions(), {shop()}, "next");
  CHECK(codes_of(none) == "no-revision:next\n");
  CHECK(none.obstacles.at(0).next.find("default, canary, prod") != std::string::npos);
  Evidence scaled = two_revisions();
  scaled.control_planes->back().ready = scaled.control_planes->back().wanted = 0;
  CHECK(codes_of(plan_move(scaled, {shop()}, "canary")) == "not-ready:canary\n");
  CHECK(codes_of(plan_move(scaled, {shop()}, "prod")) == "not-ready:prod\n");
  CHECK(codes_of(plan_move(scaled, {shop()}, "default")) == "");
  Evidence unknown = two_revisions();
  unknown.injectors = tl::unexpected(Unread{"injectors", "forbidden:injectors", "403"});
  CHECK(codes_of(plan_move(unknown, {shop()}, "canary")).starts_with("unknown:forbidden"));
}

TEST_CASE("istio move: namespaces that cannot move") {
  const auto refused = [](const MeshNamespace& ns) {
    return codes_of(plan_move(two_revisions(), {ns}, "canary"));
  };
  CHECK(refused({"gone", nullptr, {}, {}}) == "no-namespace:gone\n");
  MeshNamespace leaving = shop();
  leaving.object["metadata"]["deletionTimestamp"] = "2026-11-22T00:00:00Z";
  CHECK(refused(leaving) == "namespace-terminating:shop\n");
  CHECK(refused(shop({{"istio.io/dataplane-mode", "ambient"}})) == "ambient:shop\n");
  CHECK(refused(shop({{"istio-injection", "disabled"}})) == "injection-disabled:shop\n");

  MeshNamespace kept = shop();
  kept.object["metadata"]["annotations"]["kubist.io/owner"] = "u1/VirtualCluster/team/dev";
  const MovePlan noted = plan_move(two_revisions(), {kept}, "canary");
  CHECK(codes_of(noted) == "");
  CHECK(noted.notes.size() == 1);
  const Json labels{{"f:istio-injection", Json::object()}};
  kept.object["metadata"]["managedFields"] = Json::array(
      {{{"manager", "kubist-0123456789"}, {"fieldsV1", {{"f:metadata", {{"f:labels", labels}}}}}}});
  const MovePlan plan = plan_move(two_revisions(), {kept}, "canary");
  CHECK(codes_of(plan) == "kept-labels:shop\n");
  CHECK(plan.obstacles.at(0).message.find("VirtualCluster/team/dev") != std::string::npos);
  // What it keeps is what is wanted: its workloads may be restarted.
  kept.object["metadata"]["labels"] = {{"istio.io/rev", "canary"}};
  CHECK(codes_of(plan_move(two_revisions(), {kept}, "canary")) == "");
}
