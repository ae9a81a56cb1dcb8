#include <kubist/istio/check.hpp>
#include <kubist/istio/diff.hpp>
#include <kubist/istio/record.hpp>
#include <kubist/istio/stages.hpp>
#include <kubist/util/text.hpp>

#include "install/prune.hpp"

namespace kubist::istio {

using resources::Manifest;
using resources::ObjectView;

namespace {

apply::SetDiff removal_of(const apply::Owned& object) {
  const std::string name = resources::diff_name(object.live);
  resources::DiffOptions options;
  options.before_label = util::cat("LIVE/", name);
  options.after_label = util::cat("MERGED/", name);
  apply::SetDiff diff;
  diff.result = kept(object, "");
  diff.result.outcome = apply::Outcome::pruned;
  diff.diff = resources::diff_objects(object.live, nullptr, options);
  return diff;
}

}  // namespace

util::Result<apply::SetDiffs> diff(kube::Client& client, const Bundle& bundle,
                                   const std::stop_token& stop) {
  GatherOptions gathering;
  gathering.probe = false;
  KUBIST_TRY(const Evidence evidence, gather(client, gathering, stop));
  std::vector<Manifest> objects;
  for (StagedObjects& stage : stages_of(bundle, live_webhooks(evidence))) {
    std::move(stage.objects.begin(), stage.objects.end(), std::back_inserter(objects));
  }
  objects.push_back(install_record(bundle));
  apply::Options options;
  options.inventory = inventory_name(bundle.ns, bundle.revision);
  apply::SetDiffs diffs = apply::diff_set(client, objects, options, stop);
  std::set<resources::ObjectRef> wanted;
  for (const Manifest& manifest : objects) {
    wanted.insert(ObjectView(manifest.object).ref());
  }
  KUBIST_TRY(const Stale stale, find_stale(client, bundle.ns, bundle.revision, wanted, stop));
  for (const apply::Owned& each : stale.going) {
    diffs.objects.push_back(removal_of(each));
  }
  return diffs;
}

}  // namespace kubist::istio
