#include <kubist/resources/object.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::resources;
using data::Json;

TEST_CASE("object: a view reads the well-known fields") {
  Json json = test::yaml(R"(
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  uid: u-1
  resourceVersion: "7"
  generation: 4
  labels: {app: web}
  annotations: {a/b: c}
  finalizers: [x/y]
  deletionTimestamp: "2026-01-01T00:00:00Z"
  ownerReferences: [{apiVersion: v1, kind: Thing, name: o, uid: u-0, controller: true}]
status:
  observedGeneration: 3
  conditions: [{type: Ready, status: "False", reason: Broken, message: it broke}]
)");
  ObjectView view(json);
  CHECK(view.group() == "apps");
  CHECK(view.version() == "v1");
  CHECK(view.ref() == ObjectRef{"apps", "Deployment", "shop", "web"});
  CHECK(view.uid() == "u-1");
  CHECK(view.resource_version() == "7");
  CHECK(view.generation() == 4);
  CHECK(view.observed_generation() == 3);
  CHECK(view.label("app") == "web");
  CHECK(view.annotation("a/b") == "c");
  CHECK(view.annotation("none") == "");
  CHECK(view.has_finalizer("x/y"));
  CHECK_FALSE(view.has_finalizer("x"));
  CHECK(view.deletion_timestamp() == "2026-01-01T00:00:00Z");
  REQUIRE(view.owners().size() == 1);
  CHECK(view.owners()[0].controller);
  REQUIRE(view.condition("Ready"));
  CHECK(view.condition("Ready")->reason == "Broken");
  CHECK_FALSE(view.condition("Stalled"));
}

TEST_CASE("object: fields of the wrong type read as empty") {
  Json json = test::yaml("{apiVersion: 1, kind: [], metadata: {name: 3, labels: x}, status: 5}");
  ObjectView view(json);
  CHECK(view.api_version() == "");
  CHECK(view.kind() == "");
  CHECK(view.name() == "");
  CHECK(view.labels().empty());
  CHECK(view.conditions().empty());
  CHECK(ObjectView(Json(3)).name() == "");
}

TEST_CASE("object: references are written and read as Kind/name") {
  ObjectRef ref{"kubist.io", "Cluster", "shop", "eu"};
  CHECK(to_string(ref) == "Cluster/eu");
  CHECK(to_key(ref) == "Cluster.kubist.io/shop/eu");
  CHECK(to_key({"", "Namespace", "", "shop"}) == "Namespace/shop");
  auto parsed = parse_ref("Cluster/eu");
  REQUIRE(parsed);
  CHECK(*parsed == ObjectRef{"", "Cluster", "", "eu"});
  for (auto bad : {"Cluster", "/eu", "Cluster/", "Cluster/E_u"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_ref(bad));
  }
}

TEST_CASE("object: a condition's time moves only when its status does") {
  Json conditions;
  Condition ready{"Ready", "False", "Waiting", "a", 1};
  CHECK(set_condition(conditions, ready, "T1"));
  CHECK_FALSE(set_condition(conditions, ready, "T2"));
  ready.message = "b";
  CHECK(set_condition(conditions, ready, "T2"));
  CHECK(conditions[0]["lastTransitionTime"] == "T1");
  CHECK(conditions[0]["message"] == "b");
  ready.status = "True";
  CHECK(set_condition(conditions, ready, "T3"));
  CHECK(conditions[0]["lastTransitionTime"] == "T3");
  CHECK(conditions.size() == 1);
}

TEST_CASE("object: names follow RFC 1123") {
  CHECK(is_dns_label("a-1"));
  for (auto bad : {"", "-a", "a-", "A", "a.b", "a_b"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_dns_label(bad));
  }
  CHECK_FALSE(is_dns_label(std::string(64, 'a')));
  CHECK(is_dns_subdomain("a.b-c.d"));
  CHECK(is_dns_subdomain(std::string(253, 'a')));
  for (auto bad : {"", "a..b", ".a", "a.", "a.-b"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_dns_subdomain(bad));
  }
  CHECK(check_object_name("rbac.authorization.k8s.io", "Role", "system:node") == "");
  CHECK(check_object_name("rbac.authorization.k8s.io", "Role", "a/b") != "");
  CHECK(check_object_name("", "Namespace", "a.b") != "");
  CHECK(check_object_name("", "ConfigMap", "a.b") == "");
}

TEST_CASE("object: label keys and values") {
  CHECK(check_qualified_name("app.kubernetes.io/name") == "");
  CHECK(check_qualified_name("a_B.c") == "");
  CHECK(check_qualified_name("/x") != "");
  CHECK(check_qualified_name("a/b/c") != "");
  CHECK(check_label_value("") == "");
  CHECK(check_label_value("a b") != "");
  CHECK(check_label_value(std::string(64, 'a')) != "");
}
