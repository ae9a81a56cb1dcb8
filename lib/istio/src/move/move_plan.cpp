#include <algorithm>
#include <map>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/istio/move.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/istio/verdict.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "evidence/read_support.hpp"
#include "judge/model.hpp"

namespace kubist::istio {

using data::Json;
using resources::ObjectView;
using util::cat;

namespace {

constexpr std::string_view k_engine_managers = "kubist-";  // and a hash of the object it acts for

struct WorkloadName {
  std::string kind, name;
  auto operator<=>(const WorkloadName&) const = default;
};

/// Who made a pod: a Deployment behind its ReplicaSet where there is one of that name.
WorkloadName workload_of(const ObjectView& pod, const std::set<WorkloadName>& known) {
  for (const auto& owner : pod.owners()) {
    if (!owner.controller) {
      continue;
    }
    const std::string suffix = cat('-', pod.label("pod-template-hash"));
    if (owner.kind == "ReplicaSet" && owner.name.ends_with(suffix)) {
      WorkloadName deployment{"Deployment",
                              std::string(owner.name.substr(0, owner.name.size() - suffix.size()))};
      if (known.contains(deployment)) {
        return deployment;
      }
    }
    return {std::string(owner.kind), std::string(owner.name)};
  }
  return {"Pod", std::string(pod.name())};
}

/// Why a new annotation on its template would give it no new pods; empty: it would.
std::string why_no_restart(const WorkloadName& workload, const Json* object) {
  if (object == nullptr) {
    return workload.kind == "Pod" ? "delete it and make it again"
                                  : cat("restart the ", workload.kind, " by what made it");
  }
  if (data::bool_at(*object, {"spec", "paused"})) {
    return "it is paused: resume it first";
  }
  return data::string_at(*object, {"spec", "updateStrategy", "type"}) == "OnDelete"
             ? "its updateStrategy is OnDelete: delete its pods"
             : "";
}

/// Does it stay without a proxy on purpose, or is it on its way out?
bool is_outside(const Json& pod) {
  const ObjectView view(pod);
  const std::string_view phase = data::string_at(pod, {"status", "phase"});
  return !view.deletion_timestamp().empty() || phase == "Succeeded" || phase == "Failed" ||
         data::bool_at(pod, {"spec", "hostNetwork"}) || view.label(k_inject_label) == "false" ||
         view.annotation(k_inject_label) == "false";
}

/// Does the engine keep one of these labels for an object of kubist's?
bool kept_by_engine(const Json& ns) {
  for (const Json& entry : data::array_at(ns, {"metadata", "managedFields"})) {
    if (!data::string_at(entry, {"manager"}).starts_with(k_engine_managers)) {
      continue;
    }
    for (const char* label : {k_injection_label, k_revision_label}) {
      if (data::find_path(entry, {"fieldsV1", "f:metadata", "f:labels", cat("f:", label)})) {
        return true;
      }
    }
  }
  return false;
}

class Planner {
 public:
  Planner(const Evidence& evidence, const std::string& revision, const SupportTable& support)
      : m_evidence(evidence),
        m_wanted(revision),
        m_support(support),
        m_model(make_model(evidence, {}, support)) {}

  MovePlan run(const std::vector<MeshNamespace>& namespaces) {
    for (const Unread& each : unread(m_evidence)) {
      add(cat("unknown:", each.code), each.message,
          "what is there must be known before namespaces are moved");
    }
    m_target = m_model.revision_of(m_wanted);
    check_target();
    for (const MeshNamespace& each : namespaces) {
      plan(each);
    }
    return std::move(m_plan);
  }

 private:
  void add(std::string code, std::string message, std::string next) {
    m_plan.obstacles.push_back({std::move(code), std::move(message), std::move(next)});
  }

  void check_target() {
    if (m_target == nullptr) {
      std::vector<std::string> names;
      for (const RevisionView& each : m_model.revisions) {
        names.push_back(each.name);
        names.insert(names.end(), each.tags.begin(), each.tags.end());
      }
      add(cat("no-revision:", m_wanted), cat("there is no revision or tag ", m_wanted),
          names.empty() ? "install it: kubist istio install PATH"
                        : cat("install it, or name one of: ", util::join(names, ", ")));
      return;
    }
    m_plan.control_plane = m_target->name;
    const Report report = judge(m_evidence, {m_target->ns, m_target->name}, m_support);
    if (!report.ready && report.verdict != Verdict::unknown) {
      add(cat("not-ready:", m_wanted), summary(report), next_step(report));
    }
  }

  void plan(const MeshNamespace& ns) {
    if (ns.object.is_null()) {
      add(cat("no-namespace:", ns.name), cat("namespace ", ns.name, " does not exist"),
          "correct its name");
      return;
    }
    const ObjectView view(ns.object);
    if (!view.deletion_timestamp().empty()) {
      add(cat("namespace-terminating:", ns.name), cat("namespace ", ns.name, " is being deleted"),
          "leave it out");
      return;
    }
    NamespaceMove move;
    move.name = ns.name;
    move.labelled =
        view.label(k_revision_label) == m_wanted && !view.labels().contains(k_injection_label);
    if (!move.labelled) {
      check_labels(ns, view);
    }
    move.behind = behind(ns);
    m_plan.namespaces.push_back(std::move(move));
  }

  void check_labels(const MeshNamespace& ns, const ObjectView& view) {
    if (view.label(k_dataplane_mode_label) == "ambient") {
      add(cat("ambient:", ns.name), cat("namespace ", ns.name, " is in ambient mode"),
          "ztunnel takes its pods: upgrade that with the rest of Istio");
    }
    if (view.label(k_injection_label) == "disabled") {
      add(cat("injection-disabled:", ns.name),
          cat("namespace ", ns.name, " has istio-injection=disabled"),
          "leave it out, or take that label away first");
    }
    if (kept_by_engine(ns.object)) {
      add(cat("kept-labels:", ns.name),
          cat("kubist keeps the labels of namespace ", ns.name, " for ",
              view.annotation(resources::k_owner_annotation)),
          cat("set spec.injection.revision: ", m_wanted, " of that VirtualCluster"));
    } else if (!view.annotation(resources::k_owner_annotation).empty()) {
      m_plan.notes.push_back(cat("namespace ", ns.name, " belongs to ",
                                 view.annotation(resources::k_owner_annotation),
                                 ": unless its spec.injection.mode is Unmanaged, set the revision "
                                 "there, or the labels change back"));
    }
  }

  std::vector<Behind> behind(const MeshNamespace& ns) const {
    std::map<WorkloadName, const Json*> workloads;
    std::set<WorkloadName> known;
    for (const Json& each : ns.workloads) {
      const ObjectView view(each);
      const WorkloadName name{std::string(view.kind()), std::string(view.name())};
      workloads[name] = &each;
      known.insert(name);
    }
    std::map<WorkloadName, Behind> all;
    for (const Json& pod : ns.pods) {
      if (is_outside(pod)) {
        continue;
      }
      const WorkloadName name = workload_of(ObjectView(pod), known);
      Behind& entry = all[name];
      ++entry.pods;
      const auto proxy = read_proxy(pod);
      if (proxy && m_target != nullptr && m_model.revision_of(proxy->revision) == m_target) {
        continue;
      }
      ++entry.old;
      entry.revisions.push_back(proxy ? proxy->revision : "");
    }
    std::vector<Behind> found;
    for (auto& [name, entry] : all) {
      if (entry.old == 0) {
        continue;
      }
      entry.ns = ns.name;
      entry.kind = name.kind;
      entry.name = name.name;
      const auto object = workloads.find(name);
      entry.why_not = why_no_restart(name, object == workloads.end() ? nullptr : object->second);
      std::sort(entry.revisions.begin(), entry.revisions.end());
      entry.revisions.erase(std::unique(entry.revisions.begin(), entry.revisions.end()),
                            entry.revisions.end());
      found.push_back(std::move(entry));
    }
    return found;
  }

  const Evidence& m_evidence;
  const std::string& m_wanted;
  const SupportTable& m_support;
  const Model m_model;
  const RevisionView* m_target = nullptr;
  MovePlan m_plan;
};

}  // namespace

std::string to_string(const Behind& behind) {
  std::vector<std::string> proxies;
  for (const std::string& revision : behind.revisions) {
    proxies.push_back(revision.empty() ? "no proxy" : cat("the proxy of revision ", revision));
  }
  return cat(behind.old, " of ", behind.pods, behind.pods == 1 ? " pod has " : " pods have ",
             util::join(proxies, " or "));
}

MovePlan plan_move(const Evidence& evidence, const std::vector<MeshNamespace>& namespaces,
                   const std::string& revision, const SupportTable& support) {
  return Planner(evidence, revision, support).run(namespaces);
}

}  // namespace kubist::istio
