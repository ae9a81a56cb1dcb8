// Merge and JSON patches, status, generations and schemas.
#include "server.hpp"

using namespace contract;

namespace {

Place::Answer patch_of(const Json& object, kube::PatchType type, const Json& body,
                       const std::string& subresource = {},
                       kube::FieldValidation validation = kube::FieldValidation::strict) {
  kube::WriteOptions options;
  options.field_manager = "patcher";
  options.subresource = subresource;
  options.validation = validation;
  return Place::ask(kube::patch(resource_of(object), text(object, {"metadata", "namespace"}),
                                text(object, {"metadata", "name"}), type, body, options));
}

std::int64_t generation(const Json& object) {
  return data::int_at(object, {"metadata", "generation"});
}

}  // namespace

TEST_CASE(
    "contract: a merge patch sets, removes by null, and writes nothing where nothing changes") {
  const Place place;
  const Json made = place.make(place.config_map("a", {{"k", "1"}, {"l", "2"}}));
  const auto after =
      patch_of(made, kube::PatchType::merge, {{"data", {{"k", "3"}, {"l", nullptr}}}});
  CHECK(after.code == 0);
  CHECK(after.value["data"] == Json{{"k", "3"}});
  const auto again = patch_of(made, kube::PatchType::merge, {{"data", {{"k", "3"}}}});
  CHECK(version_of(again.value) == version_of(after.value));
}

TEST_CASE("contract: a merge patch over another version is 409") {
  const Place place;
  const Json made = place.make(place.config_map("a"));
  const auto answer = patch_of(made, kube::PatchType::merge,
                               {{"metadata", {{"resourceVersion", "1"}}}, {"data", {{"k", "1"}}}});
  CHECK(answer.code == 409);
  CHECK(answer.error.reason == "Conflict");
  CHECK(patch_of(made, kube::PatchType::merge,
                 {{"metadata", {{"resourceVersion", version_of(made)}}}, {"data", {{"k", "1"}}}})
            .code == 0);
}

TEST_CASE("contract: a JSON patch is all or nothing, and a failed test is 422") {
  const Place place;
  const Json made = place.make(place.config_map("a", {{"k", "1"}}));
  const Json add{{"op", "add"}, {"path", "/data/l"}, {"value", "2"}};
  const auto test = [](const std::string& version) {
    return Json{{"op", "test"}, {"path", "/metadata/resourceVersion"}, {"value", version}};
  };
  const auto refused = patch_of(made, kube::PatchType::json, Json::array({add, test("1")}));
  CHECK(refused.code == 422);
  CHECK(place.read(made) == made);
  const auto after =
      patch_of(made, kube::PatchType::json, Json::array({test(version_of(made)), add}));
  CHECK(after.code == 0);
  CHECK(after.value["data"] == Json{{"k", "1"}, {"l", "2"}});
}

TEST_CASE("contract: a JSON patch of what is not there is 422") {
  const Place place;
  const Json made = place.make(place.config_map("a"));
  CHECK(patch_of(made, kube::PatchType::json,
                 Json::array({{{"op", "remove"}, {"path", "/data/none"}}}))
            .code == 422);
}

TEST_CASE("contract: a strategic patch merges lists by key, and custom kinds take none") {
  const Place place;
  const Json pod = place.make(
      {{"apiVersion", "v1"},
       {"kind", "Pod"},
       {"metadata", {{"name", "p"}, {"namespace", place.ns()}}},
       {"spec",
        {{"nodeSelector", {{"kubist.io/test", "nowhere"}}},
         {"automountServiceAccountToken", false},
         {"containers", Json::array({{{"name", "main"}, {"image", "localhost/x:1"}}})}}}});
  CHECK(pod["status"]["phase"] == "Pending");
  const auto say = [&](const char* type) {
    return patch_of(
        pod, kube::PatchType::strategic,
        {{"status", {{"conditions", Json::array({{{"type", type}, {"status", "True"}}})}}}},
        "status");
  };
  CHECK(say("Ready").code == 0);
  const auto both = say("Special");
  CHECK(both.code == 0);
  CHECK(both.value["status"]["conditions"].size() >= 2);
  const Json custom = place.make(place.virtual_cluster("v"));
  CHECK(patch_of(custom, kube::PatchType::strategic, {{"spec", Json::object()}}).code == 415);
}

TEST_CASE("contract: patches leave uid, name and time of creation alone") {
  const Place place;
  const Json made = place.make(place.config_map("a"));
  const auto after = patch_of(
      made, kube::PatchType::merge,
      {{"metadata", {{"creationTimestamp", "2020-01-01T00:00:00Z"}}}, {"data", {{"k", "1"}}}});
  CHECK(after.code == 0);
  CHECK(after.value["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]);
}

TEST_CASE("contract: the status is written by its subresource alone, and nothing else by it") {
  const Place place;
  Json object = place.virtual_cluster("v");
  object["status"] = {{"namespace", "x"}};
  const Json made = place.make(object);
  CHECK_FALSE(made.contains("status"));
  const auto main = patch_of(made, kube::PatchType::merge, {{"status", {{"namespace", "x"}}}});
  CHECK(main.code == 0);
  CHECK_FALSE(main.value.contains("status"));
  const auto sub =
      patch_of(made, kube::PatchType::merge,
               {{"spec", {{"labels", {{"a", "b"}}}}}, {"status", {{"namespace", "x"}}}}, "status");
  CHECK(sub.code == 0);
  CHECK(sub.value["status"]["namespace"] == "x");
  CHECK_FALSE(sub.value["spec"].contains("labels"));
  const auto later = patch_of(made, kube::PatchType::merge, {{"spec", {{"labels", {{"a", "b"}}}}}});
  CHECK(later.value["status"]["namespace"] == "x");
}

TEST_CASE("contract: a kind without the subresource has none") {
  const Place place;
  const Json made = place.make(place.config_map("a"));
  CHECK(patch_of(made, kube::PatchType::merge, Json::object(), "status").code == 404);
}

TEST_CASE("contract: the generation counts changes of the spec") {
  const Place place;
  const Json made = place.make(place.virtual_cluster("v"));
  CHECK(generation(made) == 1);
  const auto labelled =
      patch_of(made, kube::PatchType::merge, {{"metadata", {{"labels", {{"a", "b"}}}}}});
  CHECK(generation(labelled.value) == 1);
  CHECK(generation(
            patch_of(made, kube::PatchType::merge, {{"status", {{"namespace", "x"}}}}, "status")
                .value) == 1);
  CHECK(generation(
            patch_of(made, kube::PatchType::merge, {{"spec", {{"labels", {{"a", "b"}}}}}}).value) ==
        2);
  CHECK(generation(
            patch_of(made, kube::PatchType::merge, {{"spec", {{"labels", {{"a", "b"}}}}}}).value) ==
        2);
  CHECK(generation(place.make(place.config_map("a"))) == 0);  // ConfigMaps have none
}

TEST_CASE("contract: values that the schema does not take are 422 with their field") {
  const Place place;
  const auto create = [&](const Json& spec) {
    const Json object = place.virtual_cluster("v", spec);
    return Place::ask(kube::create(resource_of(object), object));
  };
  const auto typed = create({{"adopt", "yes"}});
  CHECK(typed.code == 422);
  REQUIRE(!typed.error.details.empty());
  CHECK(typed.error.details[0].message.starts_with("spec.adopt"));
  const auto listed = create({{"injection", {{"mode", "Sometimes"}}}});
  CHECK(listed.code == 422);
  REQUIRE(!listed.error.details.empty());
  CHECK(listed.error.details[0].message.starts_with("spec.injection.mode"));
}

TEST_CASE("contract: unknown fields are refused where the caller is strict, else dropped") {
  const Place place;
  const Json object = place.virtual_cluster("v", {{"nonsense", 1}});
  const auto strict = Place::ask(kube::create(resource_of(object), object));
  CHECK(strict.code == 400);
  CHECK(strict.error.message.find("spec.nonsense") != std::string::npos);
  kube::WriteOptions options;
  options.validation = kube::FieldValidation::ignore;
  const auto made = Place::ask(kube::create(resource_of(object), object, options));
  CHECK(made.code == 0);
  CHECK_FALSE(made.value["spec"].contains("nonsense"));
  CHECK(patch_of(made.value, kube::PatchType::merge, {{"spec", {{"nonsense", 2}}}}).code == 422);
  const auto patched = patch_of(made.value, kube::PatchType::merge, {{"spec", {{"nonsense", 2}}}},
                                "", kube::FieldValidation::ignore);
  CHECK(version_of(patched.value) == version_of(made.value));
}

TEST_CASE("contract: a rule of the CRD that an object breaks is 422") {
  const Place place;
  const Json object{{"apiVersion", "kubist.io/v1alpha1"},
                    {"kind", "Cluster"},
                    {"metadata", {{"name", "c"}, {"namespace", place.ns()}}},
                    {"spec", {{"home", true}, {"kubeconfigSecretRef", {{"name", "s"}}}}}};
  CHECK(Place::ask(kube::create(resource_of(object), object)).code == 422);
}

TEST_CASE("contract: defaults of the schema are filled in") {
  const Place place;
  const Json made = place.make({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                                {"kind", "DeployItem"},
                                {"metadata", {{"name", "d"}, {"namespace", place.ns()}}},
                                {"spec", {{"type", "kubist.io/mock"}}}});
  CHECK(place.read(made)["spec"] == made["spec"]);
  const Json vc = place.make(place.virtual_cluster("v"));
  CHECK(place.read(vc)["spec"] == vc["spec"]);
  CHECK(vc["spec"].value("create", Json()) == place.read(vc)["spec"].value("create", Json()));
}

TEST_CASE("contract: a Lease is taken once, and kept by the version that was seen") {
  const Place place;
  const Json lease{{"apiVersion", "coordination.k8s.io/v1"},
                   {"kind", "Lease"},
                   {"metadata", {{"name", "kubist"}, {"namespace", place.ns()}}},
                   {"spec",
                    {{"holderIdentity", "me"},
                     {"leaseDurationSeconds", 15},
                     {"renewTime", "2026-01-01T00:00:00.000000Z"}}}};
  Json made = place.make(lease);
  CHECK(Place::ask(kube::create(well_known::leases(), lease)).code == 409);
  made["spec"]["holderIdentity"] = "you";
  CHECK(Place::ask(kube::replace(well_known::leases(), made)).code == 0);
  CHECK(Place::ask(kube::replace(well_known::leases(), made)).code == 409);
}

TEST_CASE("contract: a Lease that is gone is made anew by a PUT, but for one with its uid") {
  const Place place;
  Json lease = place.make({{"apiVersion", "coordination.k8s.io/v1"},
                           {"kind", "Lease"},
                           {"metadata", {{"name", "kubist"}, {"namespace", place.ns()}}},
                           {"spec", {{"holderIdentity", "me"}}}});
  const std::string uid = lease["metadata"]["uid"];
  must(client()->run(kube::remove(well_known::leases(), place.ns(), "kubist", {})));
  CHECK(Place::ask(kube::replace(well_known::leases(), lease)).code == 409);
  CHECK(place.read(lease).is_null());
  lease["metadata"].erase("uid");
  const auto anew = Place::ask(kube::replace(well_known::leases(), lease));
  CHECK(anew.code == 0);
  CHECK(anew.value["metadata"]["uid"] != uid);
  lease["metadata"]["uid"] = uid;
  lease["metadata"]["resourceVersion"] = anew.value["metadata"]["resourceVersion"];
  CHECK(Place::ask(kube::replace(well_known::leases(), lease)).code == 409);
}
