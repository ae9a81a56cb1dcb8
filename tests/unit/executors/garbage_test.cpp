// What items that are gone left, beside objects whose label and annotation somebody made up.
#include "site.hpp"

using namespace site;

namespace {

/// A virtual cluster's namespace, shop-dev, with what pods of items leave.
struct Leftovers : Site {
  Leftovers() {
    make_project("shop");
    virtual_cluster("shop", "dev");
    settle();
  }
  void left(const std::string& kind, const std::string& name, const std::string& uid,
            const std::string& item, const std::string& phase = "") {
    Json object = plain(kind, "shop-dev", name);
    object["metadata"]["labels"] = {{"kubist.io/deployitem-uid", uid}};
    if (!item.empty()) {
      object["metadata"]["annotations"] = {{"kubist.io/deployitem", item}};
    }
    if (!phase.empty()) {
      object["status"] = {{"phase", phase}};
    }
    home->plant(object);
  }
  /// "Kind name" or "Kind name: why it stays" of each that belongs to no item.
  std::vector<std::string> collect() {
    std::vector<std::string> all;
    executors::Session::GarbageOptions options;
    options.ns = "shop";
    options.on_result = [&](const executors::GarbageResult& each) {
      all.push_back(cat(each.kind, ' ', each.name, each.removed ? "" : ": ", each.why));
    };
    options.on_trouble = [](const util::Error& error) { FAIL_CHECK(error.to_string()); };
    REQUIRE(session->collect_garbage(options, {}));
    return all;
  }
  bool has(const std::string& plural, const std::string& name) const {
    return !home->get(plural, name, "shop-dev").is_null();
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("garbage: a pod with the label of a living item takes nothing of it away") {
  Leftovers s;
  Json item = object("DeployItem", "shop", "here", {{"type", "kubist.io/mock"}});
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  s.home->put(item);
  const std::string uid =
      s.home->get("deployitems.landscaper.gardener.cloud", "here", "shop")["metadata"]["uid"];
  s.left("Pod", "forged", uid, "shop/none", "Succeeded");
  s.left("Secret", "state", uid, "shop/here");
  CHECK(s.collect() == Lines{"Pod forged: objects with its label name different items"});
  CHECK(s.has("pods", "forged"));
  CHECK(s.has("secrets", "state"));
}

TEST_CASE("garbage: what names no item, or another one, lets nothing of its uid go") {
  for (const char* other : {"", "shop/other"}) {
    Leftovers s;
    s.left("Secret", "state", "1", "shop/gone");
    s.left("ServiceAccount", "forged", "1", other);
    s.left("Secret", "alone", "2", "shop/gone");
    s.collect();
    CHECK(s.has("secrets", "state"));
    CHECK(s.has("serviceaccounts", "forged"));
    CHECK(!s.has("secrets", "alone"));
  }
}

TEST_CASE("garbage: a pod that runs holds what has its uid, and no more") {
  Leftovers s;
  s.left("Pod", "runs", "1", "shop/gone", "Running");
  s.left("Secret", "of-it", "1", "shop/gone");
  s.left("Secret", "before", "2", "shop/gone");
  CHECK(s.collect() == Lines{"Pod runs: it still runs", "Secret before",
                             "Secret of-it: a pod of its item still runs"});
  CHECK(s.has("secrets", "of-it"));
  CHECK(!s.has("secrets", "before"));
}
