#include "manifest/manifest_apply.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <kubist/apply/compare.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/readiness.hpp>
#include <kubist/util/text.hpp>

#include "item/config_check.hpp"
#include "manifest/limits.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::size_t k_shown_errors = 5;

apply::Options options_of(const World& world, const Item& item, const Job& job) {
  apply::Options options;
  options.dry_run = world.writer.rules().dry_run;
  if (world.writer.dry()) {  // the run may make it before the item's turn comes
    options.brings_namespace = job.place.ns;
  } else {
    options.permit = world.writer.rules().permit;
  }
  options.manager = field_manager_of(item);
  options.force_conflicts = true;
  options.default_namespace = job.place.ns;
  options.timeout = job.remaining.value_or(std::chrono::seconds(0));
  return options;
}

void mark(Json& object, const Item& item) {
  resources::set_label(object, k_managed_label, item.uid);
  if (resources::ObjectView(object).label(resources::k_managed_by_label).empty()) {
    resources::set_label(object, resources::k_managed_by_label, "kubist");
  }
  resources::set_annotation(object, k_managed_label, cat(item.ns, "/", item.name));
}

/// Entries without those that are not to be touched.
std::vector<const ManifestEntry*> to_apply(const ManifestPlan& plan, const Job& job) {
  std::vector<const ManifestEntry*> entries;
  for (const ManifestEntry& entry : plan.entries) {
    if (entry.policy != ManagePolicy::ignore &&
        (job.repairs.empty() ||
         job.repairs.contains(resources::ObjectView(entry.manifest.object).ref()))) {
      entries.push_back(&entry);
    }
  }
  return entries;
}

util::Result<> check_drift_word(const ManifestEntry& entry) {
  const resources::ObjectView view(entry.manifest.object);
  const std::string_view word = view.annotation(k_drift_annotation);
  return word.empty() || parse_drift(word)
             ? util::Result<>()
             : util::fail(config_error(cat(name_of(view.ref()), ": annotation ", k_drift_annotation,
                                           " is \"", word, "\", not Repair, Report or Ignore")));
}

util::Result<apply::Admission> admit(World& world, const Item& item, const Job& job,
                                     const ManifestEntry& entry, const resources::ObjectRef& ref,
                                     const Json* live) {
  if (live != nullptr && entry.only_absent) {
    return apply::Admission{false, "it is there"};
  }
  if (live != nullptr && ref.group.empty() && ref.kind == "Secret" &&
      is_off_limits(resources::ObjectView(*live))) {
    return util::fail(util::ErrorKind::invalid,
                      "it is kubist's own or gives access to a cluster, items cannot have it", "",
                      "SecretNotAllowed");
  }
  if (live != nullptr && entry.policy == ManagePolicy::fallback &&
      !apply::has_mark(*live, mark_of(item))) {
    return apply::Admission{false, "somebody else made it (policy fallback)"};
  }
  if (live != nullptr && entry.policy == ManagePolicy::immutable) {
    return apply::Admission{false, "it is there (policy immutable)"};
  }
  if (live != nullptr) {
    KUBIST_CHECK(check_takeover(item, job.place, *live));
  }
  KUBIST_CHECK(world.writer.may_write());
  return apply::Admission{};
}

/// Objects of the cluster before they are written.
using Present = std::map<resources::ObjectRef, Json>;

void report(World& world, const Job& job, const Present& present,
            const apply::ObjectResult& result) {
  const bool changes =
      result.outcome == apply::Outcome::created || result.outcome == apply::Outcome::configured;
  if (result.written || (world.writer.dry() && changes)) {
    const auto repaired = job.repairs.find(result.ref);
    world.writer.tell({result.outcome == apply::Outcome::created ? "create" : "patch",
                       cat(result.api_version, " ", result.ref.kind, "/", result.ref.ns,
                           result.ref.ns.empty() ? "" : "/", result.ref.name),
                       job.place.cluster,
                       repaired == job.repairs.end() ? "" : cat("repaired: ", repaired->second),
                       result.calls.empty() ? kube::ApiCall() : result.calls.back()});
    if (const auto before = present.find(result.ref); before != present.end()) {
      world.changes(change_of(world.writer, {*job.place.objects(), job.place.cluster},
                              before->second, result.live, result.live));
    }
  }
}

/// Records what became of the objects that were applied.
void take_results(const World& world, const apply::Report& report, const std::string& manager,
                  std::vector<Managed>& managed) {
  std::map<resources::ObjectRef, const apply::ObjectResult*> results;
  for (const apply::ObjectResult& result : report.results) {
    if (result.ok() && !result.uid.empty()) {
      results[result.ref] = &result;
    }
  }
  for (Managed& one : managed) {
    const auto found = results.find(one.ref);
    if (found == results.end()) {
      continue;
    }
    const apply::ObjectResult& result = *found->second;
    one.uid = result.uid;
    one.resource_version = result.resource_version;
    // What is never written over may change.
    one.fields =
        one.policy == ManagePolicy::immutable ? "" : apply::applied_fields(result.live, manager);
    one.ready =
        !result.live.is_null() &&
        resources::readiness(result.live, world.clock->now()).status == resources::Status::current;
  }
}

/// The report's error with the errors of single objects.
std::optional<util::Error> error_of(const apply::Report& report) {
  auto error = report.error();
  if (!error) {
    return error;
  }
  std::vector<util::Error> single;
  for (const apply::ObjectResult& result : report.results) {
    if (result.error && single.size() < k_shown_errors) {
      single.push_back(util::with_context(*result.error, name_of(result.ref)));
    }
  }
  for (const apply::NotReady& left : report.not_ready) {
    single.push_back(
        util::make_error(util::ErrorKind::not_ready, cat(name_of(left.ref), ": ", left.message)));
  }
  if (single.size() == 1 && report.errors.empty()) {
    return single.front();
  }
  error->details.insert(error->details.end(), single.begin(), single.end());
  return error;
}

}  // namespace

util::Result<> resolve_plan(World& world, const Item& item, const Job& job, ManifestPlan& plan) {
  std::vector<resources::Manifest> manifests;
  for (ManifestEntry& entry : plan.entries) {
    KUBIST_CHECK(check_drift_word(entry));
    mark(entry.manifest.object, item);
    manifests.push_back(entry.manifest);
  }
  auto errors =
      apply::check_set(*job.place.objects(), manifests, options_of(world, item, job), world.stop);
  if (!errors.empty()) {
    return util::fail(data::combine_errors(std::move(errors), "the item's objects"));
  }
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    plan.entries[i].manifest = std::move(manifests[i]);
  }
  return check_manifests(world, job, plan);
}

std::optional<util::Error> apply_plan(World& world, const Item& item, const Job& job,
                                      const ManifestPlan& plan, std::vector<Managed>& managed) {
  const std::vector<const ManifestEntry*> entries = to_apply(plan, job);
  std::vector<resources::Manifest> manifests;
  std::vector<resources::ObjectRef> refs;
  for (const ManifestEntry* entry : entries) {
    manifests.push_back(entry->manifest);
    refs.push_back(resources::ObjectView(entry->manifest.object).ref());
  }
  std::set<resources::ObjectRef> others;
  apply::Options options = options_of(world, item, job);
  for (const Managed& one : managed) {
    const auto at = std::find(refs.begin(), refs.end(), one.ref);
    if (one.uid.empty() && at != refs.end()) {  // this job noted it
      options.unseen.insert(static_cast<std::size_t>(at - refs.begin()));
    }
  }
  options.keep_objects = true;
  kube::Reservation reservation(item.ns);
  options.reservation = &reservation;
  options.keep_calls = world.writer.rules().told != nullptr;
  Present present;
  options.admit = [&](std::size_t index, const Json* live) {
    if (world.changes && live != nullptr) {
      present.emplace(refs[index], *live);
    }
    auto admission = admit(world, item, job, *entries[index], refs[index], live);
    if (admission && !admission->write && !apply::has_mark(*live, mark_of(item))) {
      others.insert(refs[index]);
    }
    return admission;
  };
  options.on_result = [&](const apply::ObjectResult& result) {
    report(world, job, present, result);
  };
  const apply::Report done = apply::apply_set(*job.place.objects(), manifests, options, world.stop);
  take_results(world, done, options.manager, managed);
  std::erase_if(managed, [&](const Managed& one) { return others.contains(one.ref); });
  return error_of(done);
}

}  // namespace kubist::deployers
