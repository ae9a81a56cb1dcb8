#include "manifest/manifest_run.hpp"

#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/state/exports.hpp>
#include <kubist/util/text.hpp>

#include "item/failure.hpp"
#include "manifest/manifest_apply.hpp"
#include "manifest/manifest_drift.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::chrono::milliseconds k_ask_again{2000};
constexpr std::size_t k_result_bytes = 2000;
constexpr const char* k_warnings = "warnings";
constexpr const char* k_target = "target";
constexpr const char* k_noted = "Noted";

}  // namespace

ManifestRun::ManifestRun(World& world, const Item& item, const Job& job)
    : m_world(world),
      m_item(item),
      m_job(job),
      m_managed(managed_of(item)),
      m_target(data::string_at(item.object, {"status", "providerStatus", k_target}, item.target)),
      m_applied(data::string_at(item.object, {"status", "providerStatus", k_applied_job}) ==
                job.id) {
  m_redactor.add_all(job.imports);
  if (data::find_path(item.object, {"status", "providerStatus", k_warnings}) != nullptr) {
    m_warnings = data::strings_at(item.object, {"status", "providerStatus", k_warnings});
  }
}

Progress ManifestRun::progress(Progress::State state, std::string operation, std::string reason,
                               const std::string& message) const {
  Progress result;
  result.state = state;
  result.operation = std::move(operation);
  result.reason = std::move(reason);
  result.message = m_redactor.redact(message).substr(0, k_result_bytes);
  result.provider_status = {{"managedResources", managed_json(m_managed)}, {k_target, m_target}};
  if (m_applied) {
    result.provider_status[k_applied_job] = m_job.id;
  }
  if (!m_warnings.is_null()) {
    result.provider_status[k_warnings] = m_warnings;
  }
  return result;
}

Progress ManifestRun::failure(const util::Error& error, std::string operation) const {
  Progress result = failure_of(error, std::move(operation));
  Progress shown =
      progress(Progress::State::failed, result.operation, result.reason, result.message);
  shown.codes = std::move(result.codes);
  if (may_mend(error) || m_world.stop.stop_requested()) {
    shown.state = Progress::State::running;
    shown.ask_again = k_ask_again;
  }
  if (m_world.stop.stop_requested()) {  // the error may be of that
    shown.reason = "Stopped";
    shown.message = "kubist was stopped at this step; the next reconcile goes on";
  }
  return shown;
}

Progress ManifestRun::waiting(const Pending& pending, std::string operation, std::string reason,
                              std::string_view what) const {
  Progress result = progress(Progress::State::running, std::move(operation), std::move(reason),
                             pending.message(what));
  result.watch = pending.watch;
  result.ask_again = pending.ask_again;
  return result;
}

util::Result<Job> ManifestRun::job_at_noted_target() const {
  Job job = m_job;
  if (m_target != m_item.target) {
    KUBIST_TRY(const Place place, m_world.place_of(m_item.ns, m_target));
    job.place = place.for_removal();
  }
  return job;
}

ManifestRun::Step ManifestRun::leave_former_target() {
  if (m_target == m_item.target) {
    return std::nullopt;
  }
  std::erase_if(m_managed, [](const Managed& one) { return one.policy == ManagePolicy::keep; });
  if (!m_managed.empty()) {
    const auto there = job_at_noted_target();
    if (!there) {
      return failure(there.error(), "LeaveFormerTarget");
    }
    const auto pending = delete_step(m_world, m_item, *there, m_managed);
    if (!pending) {
      return failure(pending.error(), "LeaveFormerTarget");
    }
    if (!pending->empty()) {
      return waiting(*pending, "LeaveFormerTarget", "Deleting",
                     cat("waiting for its objects to go from the previous target ",
                         m_target.empty() ? "home" : m_target, ":"));
    }
  }
  m_target = m_item.target;
  return std::nullopt;
}

util::Result<Progress> ManifestRun::advance(ManifestPlan plan, const FillEntries& fill) {
  KUBIST_TRY(auto leaving, leave_former_target());
  if (leaving) {
    return *std::move(leaving);
  }
  if (!m_applied) {
    if (fill) {
      if (auto filled = fill(plan); !filled) {
        return failure(filled.error(), "Render");
      }
    }
    if (!plan.warnings.empty() || !m_warnings.is_null()) {
      m_warnings = plan.warnings;
    }
    KUBIST_TRY(auto noted, note(plan));
    if (noted) {
      return *std::move(noted);
    }
    KUBIST_TRY(auto unfinished, apply(plan));
    if (unfinished) {
      return *std::move(unfinished);
    }
  }
  KUBIST_TRY(auto pruning, prune());
  if (pruning) {
    return *std::move(pruning);
  }
  KUBIST_TRY(auto unready, await_ready(plan));
  if (unready) {
    return *std::move(unready);
  }
  return collect(plan);
}

Json ManifestRun::announced(ManifestPlan plan) {
  m_applied = false;
  const Step noted = m_target == m_item.target ? note(plan) : std::nullopt;
  return noted && *noted && (*noted)->reason == k_noted ? (*noted)->provider_status
                                                        : Json::object();
}

/// Does the job make nothing but what drifted? A chart may have another name for it by now: then
/// all is made as by any job.
bool ManifestRun::only_repairs(const ManifestPlan& plan) {
  std::set<resources::ObjectRef> known;
  for (const ManifestEntry& entry : plan.entries) {
    known.insert(resources::ObjectView(entry.manifest.object).ref());
  }
  if (!std::all_of(m_job.repairs.begin(), m_job.repairs.end(),
                   [&](const auto& each) { return known.contains(each.first); })) {
    m_job.repairs.clear();
  }
  return !m_job.repairs.empty();
}

ManifestRun::Step ManifestRun::note(ManifestPlan& plan) {
  if (auto resolved = resolve_plan(m_world, m_item, m_job, plan); !resolved) {
    return failure(resolved.error(), "Resolve");
  }
  if (only_repairs(plan)) {
    return std::nullopt;
  }
  bool grown = false;
  std::vector<Managed> noted;
  std::set<resources::ObjectRef> wanted;
  for (const ManifestEntry& entry : plan.entries) {
    const resources::ObjectView view(entry.manifest.object);
    Managed managed{{view.ref(), std::string(view.api_version()), {}},
                    entry.policy,
                    false,
                    entry.annotate_before_delete,
                    entry.patch_before_delete};
    wanted.insert(managed.ref);
    if (entry.policy == ManagePolicy::ignore) {
      continue;
    }
    const auto known = std::find_if(m_managed.begin(), m_managed.end(),
                                    [&](const Managed& one) { return one.ref == managed.ref; });
    grown = grown || known == m_managed.end();
    managed.drift = parse_drift(view.annotation(k_drift_annotation));
    if (known != m_managed.end()) {
      managed.uid = known->uid;
      managed.fields = known->fields;
    }
    noted.push_back(std::move(managed));
  }
  for (Managed& before : m_managed) {
    // What is to be kept is let go of as soon as the config no longer names it.
    if (!wanted.contains(before.ref) && before.policy != ManagePolicy::keep) {
      before.stale = true;
      noted.push_back(std::move(before));
    }
  }
  m_managed = std::move(noted);
  if (const auto ns = stale_namespace()) {
    return failure(util::make_error(util::ErrorKind::invalid,
                                    cat("Namespace ", *ns, " is no longer in the config, but ",
                                        "objects of the config live in it"),
                                    "Put it back, or move the objects."),
                   "Resolve");
  }
  if (!grown) {
    return std::nullopt;
  }
  Progress result = progress(Progress::State::running, "NoteObjects", k_noted,
                             cat("making ", plan.entries.size(), " objects"));
  result.ask_again = std::chrono::milliseconds(0);
  return result;
}

/// A namespace to be deleted in which something shall be.
std::optional<std::string> ManifestRun::stale_namespace() const {
  std::set<std::string> used;
  for (const Managed& one : m_managed) {
    if (!one.stale) {
      used.insert(one.ref.ns);
    }
  }
  for (const Managed& one : m_managed) {
    if (one.stale && one.ref.group.empty() && one.ref.kind == "Namespace" &&
        used.contains(one.ref.name)) {
      return one.ref.name;
    }
  }
  return std::nullopt;
}

ManifestRun::Step ManifestRun::apply(ManifestPlan& plan) {
  const auto error = apply_plan(m_world, m_item, m_job, plan, m_managed);
  if (error) {
    return failure(*error, "Apply");
  }
  m_applied = true;
  tell_kept(m_world, m_item, m_job.place, m_managed);
  return std::nullopt;
}

ManifestRun::Step ManifestRun::prune() {
  std::vector<Managed> stale;
  std::vector<Managed> wanted;
  for (Managed& one : m_managed) {
    (one.stale ? stale : wanted).push_back(std::move(one));
  }
  auto pending = delete_step(m_world, m_item, m_job, stale);
  m_managed = std::move(wanted);
  m_managed.insert(m_managed.end(), stale.begin(), stale.end());
  if (!pending) {
    return failure(pending.error(), "Prune");
  }
  if (!pending->empty()) {
    return waiting(*pending, "Prune", "Deleting", "waiting for what is no longer wanted to go:");
  }
  return std::nullopt;
}

ManifestRun::Step ManifestRun::await_ready(const ManifestPlan& plan) {
  const auto pending = check_readiness(m_world, m_item, m_job, m_managed, plan);
  if (!pending) {
    return failure(pending.error(), "CheckReadiness");
  }
  if (!pending->empty()) {
    return waiting(*pending, "CheckReadiness", "NotReady", "waiting for");
  }
  return std::nullopt;
}

util::Result<Progress> ManifestRun::collect(const ManifestPlan& plan) {
  Pending pending;
  const auto values = collect_exports(m_world, m_item, m_job, plan, pending);
  if (!values) {
    return failure(values.error(), "CollectExports");
  }
  if (!pending.empty()) {
    return waiting(pending, "CollectExports", "ExportsMissing", "waiting for exports:");
  }
  const std::string note = m_warnings.is_array()
                               ? util::join(m_warnings.get<std::vector<std::string>>(), "; ")
                               : std::string();
  tell_kept(m_world, m_item, m_job.place, m_managed);
  Progress result = progress(Progress::State::done, "CollectExports", "Succeeded", note);
  if (!note.empty() && m_world.progress) {
    m_world.progress(cat(m_item.name, ": ", note));
  }
  const bool exported = data::find_path(m_item.object, {"status", "exportRef"}) != nullptr;
  if (!plan.exports.empty() || exported) {
    auto exports = state::parse_exports(values->dump(), "exports", m_item.export_schema);
    if (!exports) {
      return failure(util::with_default_reason(exports.error(), "InvalidExports"),
                     "CollectExports");
    }
    result.exports = std::move(exports->bytes);
  }
  return result;
}

util::Result<Progress> ManifestRun::preview(ManifestPlan plan, const FillEntries& fill) {
  if (const auto filled = fill ? fill(plan) : util::Result<>(); !filled) {
    return failure(filled.error(), "Render");
  }
  KUBIST_TRY(auto step, note(plan));
  if (!step || step->reason == k_noted) {
    KUBIST_TRY(step, apply(plan));
  }
  if (!step) {
    KUBIST_TRY(step, prune());
  }
  return step ? *std::move(step) : progress(Progress::State::done, "Preview", "DryRun", "");
}

util::Result<Progress> ManifestRun::remove() {
  tell_gone(m_world, m_item);
  std::erase_if(m_managed, [](const Managed& one) { return one.policy == ManagePolicy::keep; });
  const auto there = job_at_noted_target();
  if (!there) {
    return failure(there.error(), "Delete");
  }
  const auto pending = delete_step(m_world, m_item, *there, m_managed);
  if (!pending) {
    return failure(pending.error(), "Delete");
  }
  if (!pending->empty()) {
    return waiting(*pending, "Delete", "Deleting", "waiting for its objects to go:");
  }
  return progress(Progress::State::done, "Delete", "Deleted", "");
}

}  // namespace kubist::deployers
