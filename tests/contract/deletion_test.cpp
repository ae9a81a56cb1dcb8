// How objects end.
#include "server.hpp"

using namespace contract;

namespace {

Place::Answer remove_it(const Json& object, const kube::DeleteOptions& options = {}) {
  return Place::ask(kube::remove(resource_of(object), text(object, {"metadata", "namespace"}),
                                 text(object, {"metadata", "name"}), options));
}

Place::Answer set_finalizers(const Json& object, const Json& finalizers) {
  return Place::ask(kube::patch(resource_of(object), text(object, {"metadata", "namespace"}),
                                text(object, {"metadata", "name"}), kube::PatchType::merge,
                                {{"metadata", {{"finalizers", finalizers}}}}));
}

Json namespace_named(const std::string& name) {
  const auto found = must(client()->find(well_known::namespaces(), "", name));
  return found ? *found : Json();
}

}  // namespace

TEST_CASE("contract: what nothing holds is gone at once") {
  const Place place;
  const Json made = place.make(place.config_map("a"));
  CHECK(remove_it(made).code == 0);
  CHECK(place.read(made).is_null());
  CHECK(remove_it(made).code == 404);
}

TEST_CASE("contract: a deletion means the object that was looked at") {
  const Place place;
  const Json made = place.make(place.config_map("a"));
  kube::DeleteOptions other;
  other.uid = "11111111-2222-3333-4444-555555555555";
  CHECK(remove_it(made, other).code == 409);
  kube::DeleteOptions late;
  late.resource_version = "1";
  CHECK(remove_it(made, late).code == 409);
  CHECK(!place.read(made).is_null());
  kube::DeleteOptions own;
  own.uid = made["metadata"]["uid"];
  own.resource_version = version_of(made);
  CHECK(remove_it(made, own).code == 0);
  CHECK(place.read(made).is_null());
}

TEST_CASE("contract: a finalizer holds an object, and its removal lets it go") {
  const Place place;
  Json object = place.config_map("a");
  object["metadata"]["finalizers"] = {"example.com/hold"};
  const Json made = place.make(object);
  const auto going = remove_it(made);
  CHECK(going.code == 0);
  const Json held = place.read(made);
  REQUIRE(!held.is_null());
  CHECK(!text(held, {"metadata", "deletionTimestamp"}).empty());
  CHECK(version_of(held) != version_of(made));
  CHECK(remove_it(made).code == 0);  // asking again changes nothing
  CHECK(version_of(place.read(made)) == version_of(held));
  CHECK(set_finalizers(made, nullptr).code == 0);
  CHECK(place.read(made).is_null());
}

TEST_CASE("contract: an object that goes takes no new finalizers, but other changes") {
  const Place place;
  Json object = place.config_map("a");
  object["metadata"]["finalizers"] = {"example.com/hold"};
  const Json made = place.make(object);
  remove_it(made);
  CHECK(set_finalizers(made, {"example.com/hold", "example.com/more"}).code == 422);
  CHECK(Place::ask(kube::patch(well_known::config_maps(), place.ns(), "a", kube::PatchType::merge,
                               {{"data", {{"k", "1"}}}}))
            .code == 0);
  CHECK(place.read(made)["data"]["k"] == "1");
}

TEST_CASE("contract: a deletion counts as a change of a custom object") {
  const Place place;
  Json object = place.virtual_cluster("v");
  object["metadata"]["finalizers"] = {"example.com/hold"};
  const Json made = place.make(object);
  CHECK(made["metadata"]["generation"] == 1);
  remove_it(made);
  CHECK(place.read(made)["metadata"]["generation"] == 2);
}

TEST_CASE("contract: a namespace takes all in it along, and waits for what is held") {
  const Place outer;  // for its cleaning
  const std::string ns = outer.ns();
  const Json plain = outer.make(outer.config_map("plain"));
  Json object = outer.config_map("held");
  object["metadata"]["finalizers"] = {"example.com/hold"};
  const Json held = outer.make(object);
  const Json before = namespace_named(ns);
  CHECK(before["status"]["phase"] == "Active");
  CHECK(before["metadata"]["labels"]["kubernetes.io/metadata.name"] == ns);
  CHECK(Place::ask(kube::remove(well_known::namespaces(), "", ns)).code == 0);
  CHECK(eventually([&] { return outer.read(plain).is_null(); }));
  const Json going = namespace_named(ns);
  REQUIRE(!going.is_null());
  CHECK(going["status"]["phase"] == "Terminating");
  CHECK(!text(going, {"metadata", "deletionTimestamp"}).empty());

  const auto refused = Place::ask(kube::create(well_known::config_maps(), outer.config_map("new")));
  CHECK(refused.code == 403);
  CHECK(refused.error.message.find("because it is being terminated") != std::string::npos);
  CHECK(Place::ask(kube::create(
                       well_known::namespaces(),
                       {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}}))
            .code == 409);

  CHECK(eventually([&] { return outer.read(held)["metadata"].contains("deletionTimestamp"); }));
  CHECK(set_finalizers(held, nullptr).code == 0);
  CHECK(eventually([&] { return namespace_named(ns).is_null(); }));
}

TEST_CASE("contract: what belongs to an object goes with it, unless it is made an orphan") {
  const Place place;
  const auto owned = [&](const std::string& name, const Json& owner) {
    Json object = place.config_map(name);
    object["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", "v1"},
                                                          {"kind", "ConfigMap"},
                                                          {"name", owner["metadata"]["name"]},
                                                          {"uid", owner["metadata"]["uid"]}}});
    return place.make(object);
  };
  const Json parent = place.make(place.config_map("parent"));
  const Json child = owned("child", parent);
  CHECK(remove_it(parent).code == 0);
  CHECK(eventually([&] { return place.read(child).is_null(); }));

  const Json second = place.make(place.config_map("second"));
  const Json orphan = owned("orphan", second);
  kube::DeleteOptions options;
  options.propagation = kube::Propagation::orphan;
  CHECK(remove_it(second, options).code == 0);
  CHECK(eventually([&] { return place.read(second).is_null(); }));
  CHECK(eventually([&] { return !place.read(orphan)["metadata"].contains("ownerReferences"); }));
}
