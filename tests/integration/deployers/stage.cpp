#include "stage.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/random.hpp>

#include "caller.hpp"
#include "support/live.hpp"

namespace stage {

using namespace kubist;
using namespace kubist::deployers;
using namespace std::chrono_literals;
namespace wk = kube::well_known;

namespace {

void ensure_crd() {
  const Json& crd = *resources::crd(resources::k_landscaper_group, "DeployItem");
  kube::ApplyOptions options;
  options.force = true;
  REQUIRE(home()->run(kube::apply(wk::custom_resource_definitions(), crd, options)));
  REQUIRE(it::eventually([] { return home()->list(deploy_items(), "default").has_value(); }));
  it::put("home", setup::project_roles());
}

Json namespace_object(const std::string& name) {
  return {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
}

}  // namespace

const std::shared_ptr<kube::Client>& home() { return it::client("home"); }

Stage::Stage() : m_ns("items-" + util::random_suffix(8)), m_place(m_ns + "-place") {
  ensure_crd();
  make(wk::namespaces(), namespace_object(m_ns));
  make(wk::namespaces(), namespace_object(m_place));
  it::caller::grant({.project = m_ns, .ns = m_ns, .home_namespaces = {m_place}});
  world.home = it::caller::client();
  as_project =
      it::caller::is_administrator()
          ? world.home
          : world.home->as(resources::service_account_user(m_ns, resources::k_project_account));
  world.place_of = [this](const std::string&, const std::string&) -> util::Result<Place> {
    return Place{as_project, m_place, "place"};
  };
  world.writer = kube::Writer(kube::Writer::Rules{.told = [this](const kube::Write& write) {
    const std::lock_guard lock(m_mutex);
    if (!write.cluster.empty()) {
      m_writes.push_back(write.verb + " " + write.object);
    }
  }});
  world.progress = [this](const std::string& line) {
    const std::lock_guard lock(m_mutex);
    m_said += line + "\n";
    m_changed.notify_all();
  };
}

Stage::~Stage() {
  it::caller::revoke();
  auto items = home()->list(deploy_items(), m_ns);
  for (const Json& item : items ? items->items : std::vector<Json>{}) {
    (void)home()->run(kube::patch(deploy_items(), m_ns, item["metadata"]["name"].get<std::string>(),
                                  kube::PatchType::merge,
                                  {{"metadata", {{"finalizers", nullptr}}}}));
  }
  (void)home()->run(kube::remove(wk::namespaces(), "", m_ns));
  (void)home()->run(kube::remove(wk::namespaces(), "", m_place));
}

Json Stage::make(const kube::ApiResource& resource, const Json& object) {
  auto made = home()->json(kube::create(resource, object));
  REQUIRE_MESSAGE(made, made.error().to_string());
  return *made;
}

void Stage::make_item(const std::string& name, const std::string& type, const Json& config,
                      Json spec) {
  spec["type"] = type;
  spec["config"] = config;
  spec.emplace("timeout", "30s");
  make(deploy_items(), {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                        {"kind", "DeployItem"},
                        {"metadata", {{"name", name}, {"namespace", m_ns}}},
                        {"spec", spec}});
}

void Stage::set_config(const std::string& name, const Json& config) {
  const Json patch =
      Json::array({{{"op", "replace"}, {"path", "/spec/config"}, {"value", config}}});
  const auto done =
      home()->run(kube::patch(deploy_items(), m_ns, name, kube::PatchType::json, patch));
  REQUIRE_MESSAGE(done, done.error().to_string());
}

ItemOutcome Stage::run(const std::string& name, const RunOptions& options) {
  auto outcome = run_item(world, m_ns, name, options);
  REQUIRE_MESSAGE(outcome, outcome.error().to_string());
  MESSAGE(name << ": " << outcome->phase << " " << outcome->reason << ": " << outcome->message);
  return *outcome;
}

void Stage::mark_deleted(const std::string& name) {
  REQUIRE(home()->run(kube::remove(deploy_items(), m_ns, name)));
}

ItemOutcome Stage::remove(const std::string& name) {
  mark_deleted(name);
  auto outcome = remove_item(world, m_ns, name);
  REQUIRE_MESSAGE(outcome, outcome.error().to_string());
  return *outcome;
}

Json Stage::item(const std::string& name) {
  auto object = home()->json(kube::get(deploy_items(), m_ns, name));
  REQUIRE_MESSAGE(object, object.error().to_string());
  return *object;
}

Json Stage::get(const kube::ApiResource& resource, const std::string& name) {
  auto object = home()->json(kube::get(resource, m_place, name));
  REQUIRE_MESSAGE(object, object.error().to_string());
  return *object;
}

bool Stage::exists(const kube::ApiResource& resource, const std::string& name) {
  const auto found = home()->find(resource, m_place, name);
  REQUIRE_MESSAGE(found, found.error().to_string());
  return found->has_value();
}

void Stage::merge(const kube::ApiResource& resource, const std::string& name, const Json& patch,
                  const std::string& subresource) {
  const auto done = home()->run(kube::patch(resource, m_place, name, kube::PatchType::merge, patch,
                                            {.field_manager = "test", .subresource = subresource}));
  REQUIRE_MESSAGE(done, done.error().to_string());
}

void Stage::remove_object(const kube::ApiResource& resource, const std::string& name) {
  const auto done = home()->run(kube::remove(resource, m_place, name));
  REQUIRE_MESSAGE(done, done.error().to_string());
}

Json Stage::exports(const std::string& item) {
  auto secret = home()->json(kube::get(wk::secrets(), m_ns, item + "-export"));
  REQUIRE_MESSAGE(secret, secret.error().to_string());
  return Json::parse(
      util::base64_decode(data::string_at(*secret, {"data", "config"})).value_or(""));
}

std::vector<std::string> Stage::take_writes() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_writes, {});
}

std::string Stage::said() {
  const std::lock_guard lock(m_mutex);
  return m_said;
}

ItemOutcome Stage::run_and(const std::string& name, const std::string& text,
                           const std::function<void()>& act, bool removal) {
  util::Result<ItemOutcome> outcome;
  std::jthread run(
      [&] { outcome = removal ? remove_item(world, m_ns, name) : run_item(world, m_ns, name); });
  bool seen = false;
  {
    std::unique_lock lock(m_mutex);
    seen = m_changed.wait_for(lock, 20s, [&] { return m_said.find(text) != std::string::npos; });
  }
  act();
  run.join();
  CHECK_MESSAGE(seen, "never said: " << text << "; said: " << said());
  REQUIRE_MESSAGE(outcome, outcome.error().to_string());
  MESSAGE(name << ": " << outcome->phase << " " << outcome->reason << ": " << outcome->message);
  return *outcome;
}

Json config_map(const std::string& name, const Json& data) {
  return {
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}, {"data", data}};
}

}  // namespace stage
