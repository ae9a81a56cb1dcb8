// What client-side `kubectl apply` owns, taken over; tests/integration/apply has it on a cluster.
#include "client_side.hpp"

#include <doctest/doctest.h>

using namespace kubist;
using namespace kubist::apply;
using data::Json;

namespace {

Json fields_of(const char* manager, const char* operation, const Json& data,
               const char* subresource = nullptr) {
  Json fields{{"f:data", data}};
  Json made{{"manager", manager},
            {"operation", operation},
            {"apiVersion", "v1"},
            {"fieldsType", "FieldsV1"},
            {"fieldsV1", fields}};
  if (subresource != nullptr) {
    made["subresource"] = subresource;
  }
  return made;
}

/// One that has the annotation of a client-side apply, too.
Json client_side(const char* manager, const Json& data) {
  Json made = fields_of(manager, "Update", data);
  made["fieldsV1"]["f:metadata"]["f:annotations"]
      ["f:kubectl.kubernetes.io/last-applied-configuration"] = Json::object();
  return made;
}

Json object(const Json& entries) {
  return {{"metadata",
           {{"annotations", {{"kubectl.kubernetes.io/last-applied-configuration", "{}"}}},
            {"managedFields", entries}}}};
}

}  // namespace

TEST_CASE("client side: its managers are who own its annotation by Update") {
  const Json live =
      object(Json::array({client_side("kubectl-client-side-apply", {{"f:a", Json::object()}}),
                          fields_of("kubectl-edit", "Update", {{"f:b", Json::object()}}),
                          fields_of("kubist", "Apply", {})}));
  CHECK(client_side_managers(live) == std::vector<std::string>{"kubectl-client-side-apply"});
  Json bare = live;
  bare["metadata"].erase("annotations");
  CHECK(client_side_managers(bare).empty());
  CHECK(client_side_managers(object("odd")).empty());
}

TEST_CASE("client side: what they own becomes the manager's, and all else stays") {
  const Json status = fields_of("kubectl-client-side-apply", "Update", {}, "status");
  const Json live = object(Json::array(
      {client_side("kubectl-client-side-apply", {{"f:a", Json::object()}, {"f:b", Json::object()}}),
       fields_of("kubist", "Apply", {{"f:a", Json::object()}}),
       fields_of("other", "Update", {{"f:c", Json::object()}}), status}));
  const Json taken = taken_over_fields(live, {"kubectl-client-side-apply"}, "kubist");
  REQUIRE(taken.size() == 3);
  CHECK(taken[0]["manager"] == "kubist");
  CHECK(taken[0]["fieldsV1"]["f:data"] == Json{{"f:a", Json::object()}, {"f:b", Json::object()}});
  CHECK(taken[0]["fieldsV1"]["f:metadata"].contains("f:annotations"));
  CHECK(taken[1]["manager"] == "other");
  CHECK(taken[2] == status);
}

TEST_CASE("client side: where the manager has applied nothing, theirs becomes its own") {
  const Json live =
      object(Json::array({client_side("kubectl-client-side-apply", {{"f:a", Json::object()}})}));
  const Json taken = taken_over_fields(live, {"kubectl-client-side-apply"}, "kubist");
  REQUIRE(taken.size() == 1);
  CHECK(taken[0]["manager"] == "kubist");
  CHECK(taken[0]["operation"] == "Apply");
}
