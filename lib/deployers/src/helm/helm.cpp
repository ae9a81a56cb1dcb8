#include <kubist/data/memory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "helm/helm_deployer.hpp"
#include "item/config_check.hpp"
#include "manifest/manifest_run.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::size_t k_kept_charts = 16;
constexpr std::size_t k_kept_bytes = std::size_t{256} << 20U;
/// In the providerStatus: the hash of a chart in a folder, as it last succeeded.
constexpr const char* k_chart_hash = "chart";

/// Another item's job may have the same id, which is in the item's status.
std::string chart_key(const Item& item, const Job& job) { return cat(item.uid, '/', job.id); }
constexpr std::string_view k_resource_policy = "helm.sh/resource-policy";

void add_chart(RenderedChart chart, const HelmConfig& config, const Job& job, ManifestPlan& plan) {
  for (resources::Manifest& object : chart.objects) {
    const bool keep = resources::ObjectView(object.object).annotation(k_resource_policy) == "keep";
    plan.entries.push_back({std::move(object), keep ? ManagePolicy::keep : ManagePolicy::manage,
                            nullptr, nullptr, false});
  }
  if (config.create_namespace) {
    const Json ns{
        {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", job.place.ns}}}};
    resources::Manifest manifest;
    manifest.object = ns;
    plan.entries.push_back({std::move(manifest), ManagePolicy::keep, nullptr, nullptr, true});
  }
  if (!chart.hooks.empty()) {
    plan.warnings.push_back(
        cat("hooks of the chart were not run: ", util::join(chart.hooks, ", ")));
  }
}

std::size_t memory_of(const RenderedChart& chart) {
  std::size_t bytes = 0;
  for (const resources::Manifest& object : chart.objects) {
    bytes += data::memory_of(object.object);
  }
  return bytes;
}

/// May helm fetch it from there, where it fetches it?
util::Result<> check_address(const ChartSource& chart, const Place& place) {
  const bool here = chart.local || !chart.archive.empty();
  const std::string& address = chart.repo.empty() ? chart.reference : chart.repo;
  return here || address.empty() || !place.check_chart_address ? util::Result<>()
                                                               : place.check_chart_address(address);
}

/// The job in the release's namespace.
Job in_release_of(const HelmConfig& config, Job job) {
  if (!config.ns.empty()) {
    job.place.ns = config.ns;
  }
  return job;
}

}  // namespace

util::Result<> HelmDeployer::check(const Item& item, const Settings& settings) const {
  KUBIST_TRY(const HelmConfig config, parse_helm(item));
  KUBIST_CHECK(parse_helm_plan(item));
  if (config.chart.local && !settings.local_charts) {
    return util::fail(
        config_error("config.chart.path: charts on this machine are not to be had here",
                     "Name a repository, an OCI reference, or a URL."));
  }
  return {};
}

// On a machine that does not have the chart the item is what it was when it last succeeded.
Json HelmDeployer::identity(const Item& item, const Settings& settings) const {
  Json identity = ManifestDeployer::identity(item, settings);
  const auto config = parse_helm(item);
  if (config && config->chart.local && settings.local_charts) {
    const std::string hash = local_chart_hash(config->chart.reference);
    identity["chart"] = hash == k_missing_chart
                            ? std::string(data::string_at(
                                  item.object, {"status", "providerStatus", k_chart_hash}, hash))
                            : hash;
  }
  return identity;
}

util::Result<RenderedChart> HelmDeployer::render(World& world, const Item& item, const Job& job,
                                                 const HelmConfig& config) const {
  const std::string key = chart_key(item, job);
  {
    const std::lock_guard lock(m_mutex);
    for (const Rendered& kept : m_rendered) {
      if (kept.key == key) {
        return kept.chart;
      }
    }
  }
  const bool upgrade = !managed_of(item).empty();
  KUBIST_TRY(RenderedChart chart, render_chart(world, job, config, upgrade));
  keep({key, chart, memory_of(chart)});
  return chart;
}

void HelmDeployer::keep(Rendered rendered) const {
  const std::lock_guard lock(m_mutex);
  m_bytes += rendered.bytes;
  m_rendered.push_front(std::move(rendered));
  while (m_rendered.size() > k_kept_charts ||
         (m_rendered.size() > 1 && m_bytes > k_kept_bytes)) {  // what is noted now is made next
    m_bytes -= m_rendered.back().bytes;
    m_rendered.pop_back();
  }
}

util::Result<Progress> HelmDeployer::advance(World& world, const Item& item, const Job& job) const {
  if (job.remove) {
    return ManifestDeployer::advance(world, item, job);
  }
  KUBIST_TRY(const HelmConfig config, parse_helm(item));
  KUBIST_CHECK(check_address(config.chart, job.place));
  KUBIST_TRY(ManifestPlan plan, parse_helm_plan(item));
  const Job in_release = in_release_of(config, job);
  plan.values = [&]() -> util::Result<Json> {
    KUBIST_TRY(Json values, chart_values(world, in_release, config));
    return Json{{"Values", std::move(values)}};
  };
  ManifestRun run(world, item, in_release);
  auto progress = run.advance(std::move(plan), [&](ManifestPlan& filled) -> util::Result<> {
    KUBIST_TRY(auto chart, render(world, item, in_release, config));
    add_chart(std::move(chart), config, in_release, filled);
    return {};
  });
  if (progress && progress->state == Progress::State::done && config.chart.local) {
    progress->provider_status[k_chart_hash] = local_chart_hash(config.chart.reference);
  }
  if (progress && progress->state != Progress::State::running) {
    const std::string key = chart_key(item, job);
    const std::lock_guard lock(m_mutex);
    m_rendered.remove_if([&](const Rendered& kept) {
      const bool over = kept.key == key;
      m_bytes -= over ? kept.bytes : 0;
      return over;
    });
  }
  return progress;
}

util::Result<Progress> HelmDeployer::preview(World& world, const Item& item, const Job& job) const {
  KUBIST_TRY(const HelmConfig config, parse_helm(item));
  KUBIST_TRY(ManifestPlan plan, parse_helm_plan(item));
  const Job in_release = in_release_of(config, job);
  ManifestRun run(world, item, in_release);
  return run.preview(std::move(plan), [&](ManifestPlan& filled) -> util::Result<> {
    auto chart = check_address(config.chart, job.place).and_then([&] {
      return render_chart(world, in_release, config, !managed_of(item).empty());
    });
    if (!chart) {
      return util::fail(
          util::with_context(chart.error(), "the objects of its chart cannot be known now"));
    }
    add_chart(*std::move(chart), config, in_release, filled);
    return {};
  });
}

const Deployer& helm_deployer() {
  static const HelmDeployer deployer;
  return deployer;
}

}  // namespace kubist::deployers
