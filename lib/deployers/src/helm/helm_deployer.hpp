#pragma once
#include <list>
#include <mutex>
#include <string>

#include <kubist/deployers/deployer.hpp>

#include "helm/helm_render.hpp"
#include "manifest/manifest_deployer.hpp"

namespace kubist::deployers {

/// Renders a chart, and goes on with its objects as the manifest deployer does.
class HelmDeployer : public ManifestDeployer {
 public:
  util::Result<> check(const Item& item, const Settings& settings) const override;
  Json identity(const Item& item, const Settings& settings) const override;
  /// Nothing: the chart is rendered once the job is taken up.
  Json announced(World& /*world*/, const Item& /*item*/, const Job& /*job*/) const override {
    return Json::object();
  }
  util::Result<Progress> advance(World& world, const Item& item, const Job& job) const override;
  /// Renders the chart for it, and keeps nothing of that.
  util::Result<Progress> preview(World& world, const Item& item, const Job& job) const override;
  bool takes_imports() const override { return true; }

 private:
  util::Result<RenderedChart> render(World& world, const Item& item, const Job& job,
                                     const HelmConfig& config) const;

  /// Charts of jobs between noting their objects and making them: a chart may make names by chance,
  /// and what is made must be what was noted. Without it (another process) they are noted again.
  struct Rendered {
    std::string key;  ///< item and job
    RenderedChart chart;
    std::size_t bytes;
  };
  void keep(Rendered rendered) const;

  mutable std::mutex m_mutex;
  mutable std::list<Rendered> m_rendered;  ///< newest first
  mutable std::size_t m_bytes = 0;
};

const Deployer& helm_deployer();

}  // namespace kubist::deployers
