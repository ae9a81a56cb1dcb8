// Server-side apply: who owns what, and who may take it.
#include "server.hpp"

using namespace contract;
using Names = std::vector<std::string>;

TEST_CASE("contract: an apply makes what is not there, and owns exactly what it sent") {
  const Place place;
  const auto made = apply_as(place.config_map("a", {{"k", "1"}}), "one");
  CHECK(made.code == 0);
  CHECK(made.value["data"]["k"] == "1");
  CHECK(owners(made.value, "/f:data/f:k") == Names{"one Apply"});
  CHECK(owners(made.value, "/f:metadata/f:name").empty());
  REQUIRE(made.value["metadata"]["managedFields"].size() == 1);
  CHECK(made.value["metadata"]["managedFields"][0]["fieldsV1"] ==
        Json{{"f:data", {{"f:k", Json::object()}}}});
}

TEST_CASE("contract: the same apply again writes nothing") {
  const Place place;
  const auto made = apply_as(place.virtual_cluster("v", {{"namespace", "x"}}), "one");
  const auto again = apply_as(place.virtual_cluster("v", {{"namespace", "x"}}), "one");
  CHECK(again.code == 0);
  CHECK(again.value == made.value);
}

// No object is of version 1: etcd begins with it.
TEST_CASE("contract: an apply of version 1 makes what is not there, and changes nothing that is") {
  const Place place;
  const Json binding = {
      {"apiVersion", "rbac.authorization.k8s.io/v1"},
      {"kind", "RoleBinding"},
      {"metadata", {{"name", "b"}, {"namespace", place.ns()}}},
      {"roleRef",
       {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", "view"}}}};
  const Json service = {{"apiVersion", "v1"},
                        {"kind", "Service"},
                        {"metadata", {{"name", "s"}, {"namespace", place.ns()}}},
                        {"spec", {{"ports", Json::array({{{"port", 80}}})}}}};
  for (const Json& object : {place.config_map("a", {{"k", "1"}}), binding, service,
                             place.virtual_cluster("v", {{"namespace", "x"}})}) {
    Json unseen = object;
    unseen["metadata"]["resourceVersion"] = "1";
    const auto made = apply_as(unseen, "one");
    REQUIRE_MESSAGE(made.code == 0, made.error.to_string());
    CHECK(version_of(made.value) != "1");
    CHECK(made.value["metadata"]["managedFields"][0]["operation"] == "Apply");
    for (const char* manager : {"one", "two"}) {
      const auto refused = apply_as(unseen, manager, true);
      CHECK(refused.code == 409);
      CHECK(kube::field_conflicts(refused.error).empty());
    }
    CHECK(place.read(object) == made.value);
    CHECK(apply_as(object, "one").value == made.value);  // it is what an apply without it makes
  }
}

TEST_CASE("contract: what an apply does not name any more goes, but for what others own") {
  const Place place;
  apply_as(place.config_map("a", {{"k", "1"}, {"l", "2"}, {"m", "3"}}), "one");
  apply_as(place.config_map("a", {{"l", "2"}}), "two");
  const auto after = apply_as(place.config_map("a", {{"m", "3"}}), "one");
  CHECK(after.code == 0);
  CHECK(after.value["data"] == Json{{"l", "2"}, {"m", "3"}});
  CHECK(owners(after.value, "/f:data/f:l") == Names{"two Apply"});
  const auto none = apply_as(place.config_map("a"), "one");
  CHECK(none.value["data"] == Json{{"l", "2"}});
}

TEST_CASE("contract: equal values are shared, different ones are a conflict with its owner") {
  const Place place;
  apply_as(place.config_map("a", {{"k", "1"}}), "one");
  const auto shared = apply_as(place.config_map("a", {{"k", "1"}}), "two");
  CHECK(shared.code == 0);
  CHECK(owners(shared.value, "/f:data/f:k") == Names{"one Apply", "two Apply"});
  const auto refused = apply_as(place.config_map("a", {{"k", "2"}}), "two");
  CHECK(refused.code == 409);
  const auto conflicts = kube::field_conflicts(refused.error);
  REQUIRE(conflicts.size() == 1);
  CHECK(conflicts[0].manager == "one");
  CHECK(conflicts[0].field == ".data.k");
  CHECK(place.read(shared.value) == shared.value);
}

TEST_CASE("contract: by force a field changes hands") {
  const Place place;
  apply_as(place.config_map("a", {{"k", "1"}, {"l", "1"}}), "one");
  const auto taken = apply_as(place.config_map("a", {{"k", "2"}}), "two", true);
  CHECK(taken.code == 0);
  CHECK(taken.value["data"]["k"] == "2");
  CHECK(owners(taken.value, "/f:data/f:k") == Names{"two Apply"});
  CHECK(owners(taken.value, "/f:data/f:l") == Names{"one Apply"});
  CHECK(apply_as(place.config_map("a", {{"k", "1"}, {"l", "1"}}), "one").code == 409);
}

TEST_CASE("contract: an update owns what it changes, without a question") {
  const Place place;
  apply_as(place.config_map("a", {{"k", "1"}, {"l", "1"}}), "one");
  kube::WriteOptions options;
  options.field_manager = "hand";
  const Json after =
      must(client()->json(kube::patch(well_known::config_maps(), place.ns(), "a",
                                      kube::PatchType::merge, {{"data", {{"k", "2"}}}}, options)));
  CHECK(owners(after, "/f:data/f:k") == Names{"hand Update"});
  CHECK(owners(after, "/f:data/f:l") == Names{"one Apply"});
  const auto refused = apply_as(place.config_map("a", {{"k", "1"}, {"l", "1"}}), "one");
  CHECK(refused.code == 409);
  const auto conflicts = kube::field_conflicts(refused.error);
  REQUIRE(conflicts.size() == 1);
  CHECK(conflicts[0].manager == "hand");
  CHECK(conflicts[0].operation == "Update");
}

TEST_CASE("contract: what an update removes nobody owns any more") {
  const Place place;
  apply_as(place.config_map("a", {{"k", "1"}, {"l", "1"}}), "one");
  const Json after =
      must(client()->json(kube::patch(well_known::config_maps(), place.ns(), "a",
                                      kube::PatchType::merge, {{"data", {{"k", nullptr}}}})));
  CHECK(owners(after, "/f:data/f:k").empty());
  const auto back = apply_as(place.config_map("a", {{"k", "1"}, {"l", "1"}}), "one");
  CHECK(back.code == 0);
  CHECK(back.value["data"]["k"] == "1");
}

TEST_CASE("contract: labels and annotations of several managers live side by side") {
  const Place place;
  const auto labelled = [&](const std::string& key, const std::string& value) {
    Json object = place.config_map("a");
    object["metadata"]["labels"] = {{key, value}};
    return object;
  };
  apply_as(labelled("a", "1"), "one");
  const auto both = apply_as(labelled("b", "2"), "two");
  CHECK(both.value["metadata"]["labels"] == Json{{"a", "1"}, {"b", "2"}});
  const auto left = apply_as(place.config_map("a"), "one");
  CHECK(left.value["metadata"]["labels"] == Json{{"b", "2"}});
  const auto none = apply_as(place.config_map("a"), "two");
  CHECK_FALSE(none.value["metadata"].contains("labels"));
}

TEST_CASE("contract: finalizers are a set, each with its owner") {
  const Place place;
  const auto held = [&](const std::string& finalizer) {
    Json object = place.virtual_cluster("v");
    object["metadata"]["finalizers"] = {finalizer};
    return object;
  };
  apply_as(held("example.com/one"), "one");
  const auto both = apply_as(held("example.com/two"), "two");
  CHECK(both.value["metadata"]["finalizers"].size() == 2);
  const auto left = apply_as(place.virtual_cluster("v"), "one");
  CHECK(left.value["metadata"]["finalizers"] == Json::array({"example.com/two"}));
}

TEST_CASE("contract: a list with keys merges by them") {
  const Place place;
  const auto service = [&](int port, const std::string& name) {
    return Json{{"apiVersion", "v1"},
                {"kind", "Service"},
                {"metadata", {{"name", "s"}, {"namespace", place.ns()}}},
                {"spec", {{"ports", Json::array({{{"port", port}, {"name", name}}})}}}};
  };
  CHECK(apply_as(service(80, "http"), "one").code == 0);
  const auto both = apply_as(service(81, "admin"), "two");
  CHECK(both.code == 0);
  CHECK(both.value["spec"]["ports"].size() == 2);
  const auto renamed = apply_as(service(80, "web"), "two");
  CHECK(renamed.code == 409);
}

TEST_CASE("contract: a list without keys is one value") {
  const Place place;
  const auto route = [&](const std::string& version) {
    return Json{
        {"apiVersion", "kubist.io/v1alpha1"},
        {"kind", "TrafficRoute"},
        {"metadata", {{"name", "r"}, {"namespace", place.ns()}}},
        {"spec",
         {{"virtualClusterRef", {{"name", "dev"}}},
          {"hosts", {"a.example.com"}},
          {"routes", Json::array({{{"weights", Json::array({{{"destination", "web"},
                                                             {"version", version}}})}}})}}}};
  };
  CHECK(apply_as(route("v1"), "one").code == 0);
  const auto other = apply_as(route("v2"), "two");
  CHECK(other.code == 409);
  const auto conflicts = kube::field_conflicts(other.error);
  REQUIRE(conflicts.size() == 1);
  CHECK(conflicts[0].field == ".spec.routes");
}

TEST_CASE("contract: an apply names the object that it means by uid and version") {
  const Place place;
  const auto made = apply_as(place.config_map("a", {{"k", "1"}}), "one");
  Json other = place.config_map("a", {{"k", "2"}});
  other["metadata"]["uid"] = "11111111-2222-3333-4444-555555555555";
  CHECK(apply_as(other, "one").code == 422);
  other["metadata"]["name"] = "b";
  CHECK(apply_as(other, "one").code == 409);  // no successor is made
  Json late = place.config_map("a", {{"k", "2"}});
  late["metadata"]["resourceVersion"] = "1";
  CHECK(apply_as(late, "one").code == 409);
  late["metadata"]["resourceVersion"] = version_of(made.value);
  late["metadata"]["uid"] = made.value["metadata"]["uid"];
  CHECK(apply_as(late, "one").code == 0);
}

TEST_CASE("contract: an apply leaves the status alone, and one of the status the rest") {
  const Place place;
  Json object = place.virtual_cluster("v");
  object["status"] = {{"namespace", "x"}};
  const auto made = apply_as(object, "one");
  CHECK(made.code == 0);
  CHECK_FALSE(made.value.contains("status"));
  kube::ApplyOptions options;
  options.field_manager = "statuses";
  options.subresource = "status";
  const auto sub = Place::ask(kube::apply(resource_of(object), object, options));
  CHECK(sub.code == 0);
  CHECK(sub.value["status"]["namespace"] == "x");
  CHECK(owners(sub.value, "/f:status/f:namespace") == Names{"statuses Apply status"});
}

TEST_CASE("contract: unknown fields in an apply are refused") {
  const Place place;
  const auto answer = apply_as(place.virtual_cluster("v", {{"nonsense", 1}}), "one");
  CHECK(answer.code == 500);  // so it is
  CHECK(answer.error.message.find("spec.nonsense") != std::string::npos);
}

TEST_CASE("contract: managedFields in an apply are refused") {
  const Place place;
  const Json made = place.make(place.config_map("a", {{"k", "1"}}));
  CHECK(apply_as(made, "one").code == 400);
}
