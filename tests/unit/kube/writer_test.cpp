// What each verb of the Writer leaves in the cluster, and tells.
#include <kubist/kube/api_error.hpp>

#include "kube/writer_support.hpp"

using namespace writer_test;
using util::ErrorKind;

TEST_CASE("writer: apply makes the object, by the rules' manager, and tells its creation") {
  Desk desk;
  const auto after = desk.writer().apply(desk.to(), config_maps(), config_map("a"),
                                         {.live = nullptr, .detail = "it was not there"});
  REQUIRE(after);
  CHECK(*after == desk.live("a"));
  CHECK(desk.is_manager("a", "tester"));
  CHECK(desk.lines() == Lines{"create v1 ConfigMap/default/a @far it was not there"});
  CHECK(desk.told[0].call.method == "PATCH");
  CHECK(desk.asked == 1);
  CHECK(desk.sent == Lines{"configmaps default"});
}

TEST_CASE("writer: apply of a changed object is told as such, without a change not at all") {
  Desk desk;
  const auto first = desk.writer().apply(desk.to(), config_maps(), config_map("a"));
  REQUIRE(first);
  desk.told.clear();
  const auto same =
      desk.writer().apply(desk.to(), config_maps(), config_map("a"), {.live = &*first});
  REQUIRE(same);
  CHECK(*same == *first);
  CHECK(desk.lines().empty());
  const auto moved =
      desk.writer().apply(desk.to(), config_maps(), config_map("a", "2"), {.live = &*same});
  REQUIRE(moved);
  CHECK(desk.value("a") == "2");
  CHECK(desk.lines() == Lines{"apply v1 ConfigMap/default/a @far"});
}

TEST_CASE("writer: apply takes fields of others by force alone") {
  Desk desk;
  const Json live = desk.put(config_map("a"));
  const auto refused =
      desk.writer().apply(desk.to(), config_maps(), config_map("a", "2"), {.live = &live});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::conflict);
  CHECK(desk.lines().empty());
  CHECK(desk.writer().apply(desk.to(), config_maps(), config_map("a", "2"),
                            {.live = &live, .force = true}));
  CHECK(desk.value("a") == "2");
  CHECK(desk.lines() == Lines{"apply v1 ConfigMap/default/a @far"});
}

TEST_CASE("writer: an apply that may only make finds what is there, and leaves it") {
  Desk desk;
  const auto made =
      desk.writer().apply(desk.to(), config_maps(), config_map("a"), {.only_new = true});
  REQUIRE(made);
  CHECK(*made == desk.live("a"));
  const auto again = desk.writer().apply(desk.to(), config_maps(), config_map("a", "2"),
                                         {.force = true, .only_new = true});
  REQUIRE_FALSE(again);
  CHECK(kube::is_conflict(again.error()));
  CHECK(desk.live("a") == *made);
  CHECK(desk.lines() == Lines{"create v1 ConfigMap/default/a @far"});
}

TEST_CASE("writer: create makes what is not there; what is there is a conflict and not told") {
  Desk desk;
  const auto made = desk.writer().create(desk.to(), config_maps(), config_map("a"));
  REQUIRE(made);
  CHECK(*made == desk.live("a"));
  CHECK(desk.is_manager("a", "tester"));
  CHECK(desk.lines() == Lines{"create v1 ConfigMap/default/a @far"});
  const auto again = desk.writer().create(desk.to(), config_maps(), config_map("a", "2"));
  REQUIRE_FALSE(again);
  CHECK(kube::already_exists(again.error()));
  CHECK(desk.lines().size() == 1);
}

TEST_CASE("writer: an object that the server names is told by that name") {
  Json object = config_map("a");
  object["metadata"].erase("name");
  object["metadata"]["generateName"] = "some-";
  Desk desk;
  const auto made = desk.writer().create(desk.to(), config_maps(), object);
  REQUIRE(made);
  const std::string name = made->at("metadata").at("name");
  REQUIRE(name.size() > 5);
  CHECK(desk.lines() == Lines{util::cat("create v1 ConfigMap/default/", name, " @far")});
  Desk dry(DryRun::client);
  CHECK(dry.writer().create(dry.to(), config_maps(), object));
  CHECK(dry.lines() == Lines{"create v1 ConfigMap/default/some- @far"});
}

TEST_CASE("writer: patch changes the object or its status, by the manager that is given") {
  Desk desk;
  desk.put(config_map("a"));
  const auto after = desk.writer().with_manager("other").patch(desk.to(), config_maps(), "default",
                                                               "a", kube::PatchType::merge,
                                                               set_to("2"), {.detail = "why"});
  REQUIRE(after);
  CHECK(*after == desk.live("a"));
  CHECK(desk.value("a") == "2");
  CHECK(desk.is_manager("a", "other"));
  CHECK_FALSE(desk.is_manager("a", "tester"));
  REQUIRE(patch_value(desk, "a", "3"));
  CHECK(desk.is_manager("a", "tester"));

  desk.put({{"apiVersion", "kubist.io/v1alpha1"},
            {"kind", "VirtualCluster"},
            {"metadata", {{"name", "v"}, {"namespace", "default"}}},
            {"spec", {{"clusterRef", {{"name", "c"}}}, {"namespace", "n"}}}});
  const auto resource =
      desk.client->discovery().find_kind("kubist.io/v1alpha1", "VirtualCluster").value();
  REQUIRE(desk.writer().patch(desk.to(), resource, "default", "v", kube::PatchType::merge,
                              {{"status", {{"namespace", "n"}}}}, {.subresource = "status"}));
  CHECK(desk.cluster.get("virtualclusters.kubist.io", "v", "default")["status"]["namespace"] ==
        "n");
  CHECK(desk.lines() == Lines{"patch v1 ConfigMap/default/a @far why",
                              "patch v1 ConfigMap/default/a @far",
                              "patch status kubist.io/v1alpha1 VirtualCluster/default/v @far"});
}

TEST_CASE("writer: a patch of what is not there is not found, and not told") {
  Desk desk;
  const auto after = patch_value(desk, "none", "2");
  REQUIRE_FALSE(after);
  CHECK(after.error().kind == ErrorKind::not_found);
  CHECK(desk.lines().empty());
}

TEST_CASE("writer: remove takes what is there and means; what is not there is no error") {
  Desk desk;
  const Json made = desk.put(config_map("a"));
  const auto wrong = desk.writer().remove(desk.to(), config_maps(), "default", "a",
                                          "11111111-2222-3333-4444-555555555555");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind == ErrorKind::conflict);
  CHECK_FALSE(desk.live("a").is_null());
  CHECK(desk.lines().empty());
  const std::string uid = made["metadata"]["uid"];
  const auto gone = desk.writer().remove(desk.to(), config_maps(), "default", "a", uid);
  REQUIRE(gone);
  CHECK(*gone);
  CHECK(desk.live("a").is_null());
  CHECK(desk.lines() == Lines{"delete v1 ConfigMap/default/a @far"});
  const auto again = desk.writer().remove(desk.to(), config_maps(), "default", "a");
  REQUIRE(again);
  CHECK_FALSE(*again);
  CHECK(desk.lines().size() == 1);
}

TEST_CASE("writer: what is in no namespace is told without one") {
  Desk desk;
  REQUIRE(desk.writer().apply(
      {*desk.client}, kube::well_known::namespaces(),
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "n"}}}}));
  CHECK(desk.lines() == Lines{"create v1 Namespace/n @"});
}
