#include <algorithm>

#include <kubist/apply/diff.hpp>
#include <kubist/util/text.hpp>

#include "set_run.hpp"

namespace kubist::apply {

using data::Json;

namespace {

SetDiff diff_of(ObjectResult result, const Json& before, const Json& after) {
  SetDiff entry;
  entry.name = resources::diff_name(after.is_null() ? before : after);
  resources::DiffOptions options;
  options.before_label = util::cat("LIVE/", entry.name);
  options.after_label = util::cat("MERGED/", entry.name);
  entry.diff = resources::diff_objects(before, after, options);
  entry.result = std::move(result);
  return entry;
}

}  // namespace

bool SetDiffs::differs() const {
  return std::any_of(objects.begin(), objects.end(), [](const SetDiff& entry) {
    return entry.taken_over || !entry.diff.text.empty();
  });
}

SetDiffs diff_set(kube::Client& client, std::vector<resources::Manifest>& objects, Options options,
                  std::stop_token stop) {
  options.dry_run = kube::DryRun::server;
  options.force_conflicts = true;
  options.keep_objects = true;
  options.wait = false;
  SetRun run(client, objects, options, stop);
  run.keep_before();
  SetDiffs diffs;
  diffs.report = run.run();
  std::vector<const ObjectResult*> by_index(objects.size(), nullptr);
  for (const ObjectResult& result : diffs.report.results) {
    if (result.index != ObjectResult::k_no_input) {
      by_index[result.index] = &result;
    }
  }
  for (const ObjectResult& result : diffs.report.results) {
    if (result.index == ObjectResult::k_no_input && result.outcome == Outcome::created) {
      diffs.objects.push_back(diff_of(result, nullptr, result.live));
    }
  }
  for (const Work& work : run.works()) {
    const ObjectResult* result = by_index[work.index];
    if (result != nullptr && result->ok() && result->outcome != Outcome::unchanged) {
      diffs.objects.push_back(diff_of(*result, work.before, result->live));
      diffs.objects.back().taken_over = work.client_side;
    }
  }
  for (const ObjectResult& result : diffs.report.results) {
    if (result.outcome == Outcome::pruned) {
      const auto resource = client.discovery().find_kind(result.api_version, result.ref.kind, stop);
      const auto live = resource
                            ? client.find(*resource, result.ref.ns, result.ref.name, stop)
                            : util::Result<std::optional<Json>>(tl::unexpect, resource.error());
      if (live && *live) {
        diffs.objects.push_back(diff_of(result, **live, nullptr));
      }
    }
  }
  return diffs;
}

}  // namespace kubist::apply
