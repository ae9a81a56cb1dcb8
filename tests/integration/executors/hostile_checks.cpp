#include "hostile_checks.hpp"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "hostile_reads.hpp"
#include "hostile_tried.hpp"

namespace it::hostile {

using kubist::util::cat;

namespace {

/// What kubist itself writes in a project's namespaces; all else is the project's account's.
bool is_own_write(const AuditedWrite& write, const Names& names) {
  static const std::set<std::string> kinds{"namespaces", "rolebindings", "serviceaccounts"};
  static const std::set<std::string> of_items{"deployitems", "leases", "secrets", "events"};
  const bool own_ns = write.ns == names.project || write.ns == names.other;
  const auto all = kubist::resources::kinds();
  const bool of_kubist = std::any_of(all.begin(), all.end(), [&](const auto& kind) {
    return kind.plural == write.resource && kind.group == kubist::resources::k_kubist_group;
  });
  return kinds.contains(write.resource) || of_kubist ||
         (own_ns && of_items.contains(write.resource));
}

void check_attempt(const Attempt& attempt, const Names& names, const Caller& caller) {
  CHECK(missing_verdict(attempt, names, caller) == "");
  for (const std::string& thing : attempt.never) {
    const auto of = kubist::util::split(thing, '/');
    CHECK_MESSAGE(!get("home", of[0], of[2], of[1]), attempt.name, " made ", thing);
  }
}

void check_writes(Audit& audit, const Caller& caller, const Names& names) {
  std::size_t as_projects = 0;
  const auto writes = audit.writes(caller.user);
  CHECK(writes.size() > 100);  // of statuses alone
  for (const AuditedWrite& write : writes) {
    CAPTURE(write.to_string());
    const std::string place =
        write.resource == "namespaces" || write.ns.empty() ? write.name : write.ns;
    CHECK((place == names.project || place == names.dev() || place == names.other ||
           place == names.other + "-dev"));
    CHECK(write.resource != "pods");
    const bool as_project =
        write.user.starts_with("system:serviceaccount:") && write.user.ends_with(":kubist-project");
    as_projects += as_project ? 1 : 0;
    if (as_project) {
      CHECK(write.user == cat("system:serviceaccount:",
                              place.starts_with(names.project) ? names.project : names.other,
                              ":kubist-project"));
    } else if (caller.impersonates) {
      CHECK(is_own_write(write, names));
    }
  }
  CHECK((as_projects > 0) == caller.impersonates);
}

void check_exports(const Names& names) {
  for (const char* type :
       {"virtualservices.networking.istio.io", "serviceentries.networking.istio.io"}) {
    for (const Json& each : list("home", type)) {
      CHECK(each["metadata"]["namespace"] == names.dev());
      CHECK_MESSAGE(each["spec"]["exportTo"] == Json::array({".", "istio-system"}), each.dump());
    }
  }
}

}  // namespace

std::string missing_verdict(const Attempt& attempt, const Names& names, const Caller& caller) {
  const auto parts = kubist::util::split(
      attempt.verdict.empty() ? cat(attempt.kind, '/', attempt.name) : attempt.verdict, '/');
  const auto judged = get("home", type_of(parts[0]), parts[1], names.project);
  if (!judged) {
    return cat(attempt.name, ": there is no ", parts[0], '/', parts[1]);
  }
  auto reasons = kubist::util::split(attempt.reasons, '|');
  if (caller.limited && attempt.kind == "VirtualCluster") {
    reasons.emplace_back("Forbidden");
  }
  const std::string why = reason(judged, "Ready");
  const std::string said = message(judged, "Ready");
  const bool expected = std::find(reasons.begin(), reasons.end(), why) != reasons.end();
  if (expected && condition(judged, "Ready") != "True" &&
      (said.size() > 10 || attempt.reasons.empty())) {
    return {};
  }
  return cat(attempt.name, ": ", why, " is none of ", attempt.reasons, ": ", said);
}

void check_outcome(const std::vector<Attempt>& all, const std::vector<Json>& before, Audit& audit,
                   const Names& names, const Caller& caller, const std::string& said) {
  for (const Attempt& each : all) {
    check_attempt(each, names, caller);
    if (each.reasons.empty()) {  // it has no status of its own: the run says why
      CHECK_MESSAGE(said.find(cat('/', each.name)) != said.npos, each.name, " is not told of");
    }
  }
  CHECK(live(bystanders(names)) == before);
  check_writes(audit, caller, names);
  check_reads(audit, caller, names);
  check_tried(all, audit, caller, names);
  check_exports(names);
  CHECK_MESSAGE(condition(get("home", "projects.kubist.io", names.other), "TreeReady") == "True",
                said);
  CHECK(get("home", "configmap", "honest", names.other + "-dev"));
}

DeepItem::DeepItem(kubist::kube::Client& who, std::string ns) : m_ns(std::move(ns)) {
  Json value = 1;
  for (int level = 0; level < 600; ++level) {
    value = Json::array({std::move(value)});
  }
  Json item = node_object("DeployItem", m_ns, "deep", {{"type", "kubist.io/mock"}});
  item["spec"]["config"] = {{"v", std::move(value)}};
  CHECK(create_as(who, item) == "");
}

DeepItem::~DeepItem() { it::remove("home", k_items, "deep", m_ns); }

}  // namespace it::hostile
