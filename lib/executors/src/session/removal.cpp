#include <algorithm>

#include <kubist/executors/removal.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/resources/kinds.hpp>

namespace kubist::executors {

bool is_removed_by_engine(const kube::ApiResource& resource,
                          const std::vector<resources::ServedKind>& served) {
  if (std::any_of(served.begin(), served.end(), [&](const resources::ServedKind& each) {
        return each.group == resource.group && each.kind == resource.kind;
      })) {
    return true;
  }
  const resources::Kind* kind = resources::find_kind(resource.group, resource.kind);
  return kind != nullptr && kind->node && kind->name != "Root" &&
         kind->group == resources::k_kubist_group;  // a DeployItem has a way of its own
}

namespace {

util::Result<> hold(kube::Client& home, const apply::Target& target) {
  const kube::Writer writer({.field_manager = std::string(k_status_manager)});
  KUBIST_CHECK(
      writer.set_finalizer({home}, target.resource, target.ns, target.name, k_finalizer, true));
  return {};
}

apply::ObjectResult failure(const apply::Target& target, util::Error error) {
  apply::ObjectResult result;
  result.ref = {target.resource.group, target.resource.kind, target.ns, target.name};
  result.api_version = target.resource.api_version();
  result.outcome = apply::Outcome::failed;
  error.pos = target.pos;
  result.error = std::move(error);
  return result;
}

}  // namespace

apply::Report request_removal(kube::Client& home, const std::vector<apply::Target>& targets,
                              apply::RemoveOptions options, const std::stop_token& stop) {
  options.wait = false;
  std::vector<apply::Target> held;
  std::vector<apply::ObjectResult> failed;
  for (const apply::Target& target : targets) {
    const bool dry = options.dry_run != kube::DryRun::none;
    const auto ready = dry || stop.stop_requested() ? util::Result<>{} : hold(home, target);
    if (ready) {
      held.push_back(target);
      continue;
    }
    failed.push_back(failure(target, ready.error()));
    if (options.on_result) {
      options.on_result(failed.back());
    }
  }
  apply::Report report = apply::remove_set(home, held, options, stop);
  report.results.insert(report.results.end(), failed.begin(), failed.end());
  return report;
}

}  // namespace kubist::executors
