// Items under --watch: what they keep, and what never ends.
#include "watch_site.hpp"

using namespace site;

namespace {

/// An item that keeps an object `a` with `data.key`.
void keep_object(Site& s, const std::string& name, const std::string& kind,
                 const std::string& target = {}) {
  Json item{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
            {"kind", "DeployItem"},
            {"metadata", {{"name", name}, {"namespace", "shop"}}},
            {"spec",
             {{"type", "kubist.io/manifest"},
              {"config",
               {{"manifests",
                 {{{"apiVersion", "v1"},
                   {"kind", kind},
                   {"metadata", {{"name", "a"}}},
                   {"data", {{"key", "dmFsdWU="}}}}}}}}}}};
  if (!target.empty()) {
    item["spec"]["target"]["name"] = target;
  }
  s.home->put(item);
}
bool has_succeeded(Site& s, const std::string& name) {
  const Json item = s.home->get("deployitems.landscaper.gardener.cloud", name, "shop");
  return data::string_at(item, {"status", "phase"}) == "Succeeded";
}
const Json k_changed{{"data", {{"key", "dGhlaXJz"}}}};
bool is_mended(const std::shared_ptr<testing::FakeCluster>& where, const std::string& plural,
               const std::string& ns) {
  const Json live = where->get(plural, "a", ns);
  return data::string_at(live, {"data", "key"}) == "dmFsdWU=";
}

/// An item that never ends.
void put_endless_item(Site& s, const std::string& name) {
  s.home->put({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
               {"kind", "DeployItem"},
               {"metadata", {{"name", name}, {"namespace", "shop"}}},
               {"spec",
                {{"type", "kubist.io/mock"},
                 {"timeout", "none"},
                 {"config", {{"phase", "Progressing"}}}}}});
}
std::string phase(Site& s, const std::string& item) {
  const Json live = s.home->get("deployitems.landscaper.gardener.cloud", item, "shop");
  return std::string(data::string_at(live, {"status", "phase"}));
}

}  // namespace

TEST_CASE("watch loop: what others change of an item's objects is mended, also at a target") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "away", Json::object(), "far");
  keep_object(s, "near", "ConfigMap");
  keep_object(s, "remote", "ConfigMap", "away");
  Watch watch(s);
  REQUIRE(
      testing::comes_true([&] { return has_succeeded(s, "near") && has_succeeded(s, "remote"); }));
  s.home->patch("configmaps", "a", "shop", kube::PatchType::merge, k_changed);
  CHECK(testing::comes_true([&] { return is_mended(s.home, "configmaps", "shop"); }));
  s.far->remove("configmaps", "a", "shop-away");
  CHECK(testing::comes_true([&] { return is_mended(s.far, "configmaps", "shop-away"); }));
  watch.end();
  CHECK_MESSAGE(watch.troubles.empty(), util::join(watch.troubles, "\n"));
}

TEST_CASE("watch loop: what no watch tells of is found when all is looked at again") {
  Site s;
  s.make_project("shop");
  keep_object(s, "near", "Secret");
  executors::ReconcileOptions options;
  options.resync = std::chrono::milliseconds(500);
  Watch watch(s, options);
  REQUIRE(testing::comes_true([&] { return has_succeeded(s, "near"); }));
  s.home->patch("secrets", "a", "shop", kube::PatchType::merge, k_changed);
  CHECK(testing::comes_true([&] { return is_mended(s.home, "secrets", "shop"); }));
}

TEST_CASE("watch loop: items that never end hold up neither their project nor another one") {
  Site s;
  s.make_project("shop");
  s.make_project("other");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  for (int i = 0; i < 20; ++i) {  // each in a run of its own
    put_endless_item(s, cat("x", i));
    REQUIRE(testing::comes_true([&] { return phase(s, cat("x", i)) == "Progressing"; }));
  }
  s.virtual_cluster("shop", "here");
  s.virtual_cluster("other", "near");
  CHECK(testing::comes_true([&] { return is_ready(s, "here"); }));
  CHECK(testing::comes_true([&] { return is_ready(s, "near", "other"); }));
  s.home->patch("deployitems.landscaper.gardener.cloud", "x0", "shop", kube::PatchType::merge,
                {{"spec", {{"config", {{"phase", "Succeeded"}}}}}});
  CHECK(testing::comes_true([&] { return phase(s, "x0") == "Succeeded"; }));
}

TEST_CASE("watch loop: a project that changed while it was planned waits for no item of another") {
  Site s;
  s.make_project("shop");
  s.make_project("other");
  s.settle();
  put_endless_item(s, "endless");
  s.virtual_cluster("other", "near");
  s.home->before("* *namespaces/other/leases*", [&] { s.virtual_cluster("other", "late"); });
  Watch watch(s);
  CHECK(testing::comes_true([&] { return is_ready(s, "near", "other"); }));
  CHECK(testing::comes_true([&] { return is_ready(s, "late", "other"); }));
  CHECK(phase(s, "endless") == "Progressing");
  CHECK_FALSE(watch.is_asked("endless"));
}
