// The finalizer of a DeployItem, beside others that write the item at the same time.
#include "item/session.hpp"

#include <algorithm>
#include <utility>

#include <doctest/doctest.h>

#include <kubist/data/json_patch.hpp>
#include <kubist/data/json_text.hpp>

#include "support/fake_transport.hpp"

using namespace kubist;
using namespace kubist::deployers;

namespace {

constexpr const char* k_item_path =
    "/apis/landscaper.gardener.cloud/v1alpha1/namespaces/ns/deployitems/x";

/// A server with one DeployItem, which takes JSON Patches.
struct OneItem {
  OneItem() {
    fake->handle("GET", k_item_path, [this](const http::Request&) { return answer(); });
    fake->handle("PATCH", k_item_path, [this](const http::Request& request) {
      ++patches;
      auto patched = data::apply_json_patch(item, Json::parse(*request.body));
      if (!patched && !item.is_null()) {
        return respond(422, {{"kind", "Status"}, {"code", 422}, {"reason", "Invalid"}});
      }
      item = patched ? *std::move(patched) : item;
      return answer();
    });
    kube::ClusterAccess access;
    access.server = "http://fake";
    kube::ClientOptions options;
    options.transport = fake;
    world.home = *kube::Client::connect(std::move(access), std::move(options));
    world.writer = kube::Writer(kube::Writer::Rules{.told = [this](const kube::Write& write) {
      told.push_back(write.verb + ' ' + write.object);
    }});
  }
  util::Result<http::Response> answer() const {
    return item.is_null()
               ? respond(404, {{"kind", "Status"}, {"code", 404}, {"reason", "NotFound"}})
               : respond(200, item);
  }
  static util::Result<http::Response> respond(int status, const Json& body) {
    return testing::FakeTransport::answer(status, data::to_json(body));
  }
  Json& finalizers() { return item["metadata"]["finalizers"]; }
  Session open() { return Session::open(world, "ns", "x").value(); }

  std::shared_ptr<testing::FakeTransport> fake = std::make_shared<testing::FakeTransport>();
  World world;
  Json item{
      {"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
      {"kind", "DeployItem"},
      {"metadata", {{"name", "x"}, {"namespace", "ns"}, {"uid", "u1"}, {"resourceVersion", "1"}}}};
  int patches = 0;
  std::vector<std::string> told;
};

}  // namespace

TEST_CASE("session: the finalizer goes on an item that has changed since it was read") {
  OneItem f;
  Session session = f.open();
  f.item["metadata"]["resourceVersion"] = "2";
  f.finalizers() = Json::array({"other"});
  REQUIRE(session.add_finalizer());
  CHECK(f.finalizers() == Json::array({"other", k_finalizer}));
  CHECK(session.object() == f.item);
  CHECK(f.told ==
        std::vector<std::string>{"patch landscaper.gardener.cloud/v1alpha1 DeployItem/ns/x"});
  REQUIRE(session.add_finalizer());
  CHECK(f.patches == 2);  // the one that was outdated, and the one that was not
}

TEST_CASE("session: no run begins of an item that goes") {
  OneItem f;
  SUBCASE("it is gone") {
    Session session = f.open();
    f.item = nullptr;
    const auto added = session.add_finalizer();
    REQUIRE_FALSE(added);
    CHECK(added.error().kind == util::ErrorKind::not_found);
    CHECK(added.error().message == "DeployItem ns/x is gone, so that nothing is run");
  }
  SUBCASE("somebody else's finalizer keeps it") {
    Session session = f.open();
    f.item["metadata"]["resourceVersion"] = "2";
    f.item["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    f.finalizers() = Json::array({"other"});
    const auto added = session.add_finalizer();
    REQUIRE_FALSE(added);
    CHECK(added.error().kind == util::ErrorKind::conflict);
    CHECK(added.error().message == "DeployItem ns/x is being deleted, so that nothing is run");
    CHECK(f.finalizers() == Json::array({"other"}));
  }
  CHECK(f.told.empty());
}

TEST_CASE("session: the finalizer is taken off an item that has changed since it was read") {
  OneItem f;
  f.finalizers() = Json::array({k_finalizer});
  Session session = f.open();
  SUBCASE("it stands elsewhere in the list") {
    f.finalizers() = Json::array({"other", k_finalizer});
    REQUIRE(session.drop_finalizer());
    CHECK(f.finalizers() == Json::array({"other"}));
    CHECK(f.told.size() == 1);
  }
  SUBCASE("the item is gone") {
    f.item = nullptr;
    REQUIRE(session.drop_finalizer());
    CHECK(f.told.empty());
  }
}
