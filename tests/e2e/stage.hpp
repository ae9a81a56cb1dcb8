#pragma once
#include <atomic>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/execution.hpp>
#include <kubist/deployers/logs.hpp>
#include <kubist/deployers/pod.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/random.hpp>

#include "integration/executors/caller.hpp"
#include "support/live.hpp"

/// What the end-to-end tests of items share: real pods with the real agent image
/// (tests/cluster/cluster kubist-image) on the test cluster.
namespace kubist::e2e {

using namespace kubist::deployers;
using namespace std::chrono_literals;

namespace wk = kube::well_known;

/// The administrator's client.
inline const std::shared_ptr<kube::Client>& home() { return it::client("home"); }

inline void ensure_crds() {
  for (const auto& [group, kind] : {std::pair{resources::k_landscaper_group, "DeployItem"},
                                    {resources::k_kubist_group, "Execution"}}) {
    const Json& crd = *resources::crd(group, kind);
    kube::ApplyOptions options;
    options.force = true;
    REQUIRE(home()->run(kube::apply(wk::custom_resource_definitions(), crd, options)));
  }
  const auto served = [] {
    return home()->list(deploy_items(), "default").has_value() &&
           home()
               ->run(kube::raw_get("/apis/kubist.io/v1alpha1/namespaces/default/executions"))
               .has_value();
  };
  REQUIRE(it::eventually(served));
}

inline const kube::ApiResource& executions() {
  static const auto resource =
      kube::make_resource("kubist.io", "v1alpha1", "Execution", "executions", true, {"status"});
  return resource;
}

/// A project's namespace, a World over it with the rights of the test case's caller (caller.hpp),
/// and the items in it; all gone afterwards.
class Stage {
 public:
  Stage() : m_ns("deployers-" + util::random_suffix(8)) {
    ensure_crds();
    make(wk::namespaces(),
         {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", m_ns}}}});
    it::caller::grant({.project = m_ns, .ns = m_ns});
    world.home = it::caller::client();
    world.place_of = [this](const std::string& ns, const std::string&) -> util::Result<Place> {
      return Place{world.home, ns, ""};
    };
    world.settings.script_image = "localhost/busybox:1";
    world.writer =
        kube::Writer(kube::Writer::Rules{.told = [this](const kube::Write&) { ++m_writes; }});
  }
  ~Stage() {
    it::caller::revoke();
    auto items = home()->list(deploy_items(), m_ns);
    for (const Json& item : items ? items->items : std::vector<Json>{}) {
      const std::string name(data::string_at(item, {"metadata", "name"}));
      (void)home()->run(kube::patch(deploy_items(), m_ns, name, kube::PatchType::merge,
                                    {{"metadata", {{"finalizers", nullptr}}}}));
    }
    (void)home()->run(kube::remove(wk::namespaces(), "", m_ns));
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const std::string& ns() const { return m_ns; }
  Json make(const kube::ApiResource& resource, const Json& object) {
    auto made = home()->json(kube::create(resource, object));
    REQUIRE_MESSAGE(made, made.error().to_string());
    return *made;
  }
  void make_item(const std::string& name, const std::string& script, Json spec = Json::object()) {
    spec["type"] = "kubist.io/script";
    spec["config"]["script"] = script;
    make(deploy_items(), {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                          {"kind", "DeployItem"},
                          {"metadata", {{"name", name}, {"namespace", m_ns}}},
                          {"spec", spec}});
  }
  ItemOutcome run(const std::string& name, const RunOptions& options = {}) {
    auto outcome = run_item(world, m_ns, name, options);
    REQUIRE_MESSAGE(outcome, outcome.error().to_string());
    MESSAGE(name << ": " << outcome->phase << " " << outcome->reason << ": " << outcome->message);
    return *outcome;
  }
  Json get(const kube::ApiResource& resource, const std::string& name) {
    auto object = home()->json(kube::get(resource, m_ns, name));
    REQUIRE_MESSAGE(object, object.error().to_string());
    return *object;
  }
  std::string secret(const std::string& name, const std::string& key) {
    return util::base64_decode(data::string_at(get(wk::secrets(), name), {"data", key}))
        .value_or("");
  }
  std::string log(const std::string& item) {
    auto logs = kept_logs(*world.home, m_ns, item);
    REQUIRE(logs);
    REQUIRE_FALSE(logs->empty());
    return logs->front().text;
  }
  int take_writes() { return m_writes.exchange(0); }

  World world;

 private:
  std::string m_ns;
  std::atomic<int> m_writes = 0;
};

}  // namespace kubist::e2e
