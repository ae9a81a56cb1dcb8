#include <doctest/doctest.h>

#include <kubist/apply/compare.hpp>

using namespace kubist;
using data::Json;

namespace {

Json entry(const char* manager, const char* operation, Json fields, const char* subresource = "") {
  return {{"manager", manager},
          {"operation", operation},
          {"subresource", subresource},
          {"fieldsV1", std::move(fields)}};
}

std::string fields_of(const Json& entries) {
  return apply::applied_fields({{"metadata", {{"managedFields", entries}}}}, "me");
}

Json replicas() { return {{"f:spec", {{"f:replicas", Json::object()}}}}; }
Json image(bool with_replicas) {
  Json fields{{"f:spec", {{"f:image", Json::object()}}}};
  if (with_replicas) {
    fields["f:spec"]["f:replicas"] = Json::object();
  }
  return fields;
}

}  // namespace

TEST_CASE("applied fields: the same until another manager has one of them") {
  const std::string before = fields_of(Json::array({entry("me", "Apply", image(true))}));
  CHECK(apply::same_fields(before, before));
  CHECK(apply::same_fields(
      before, fields_of({entry("me", "Apply", image(true)),
                         entry("them", "Update", {{"f:data", {{"f:more", Json::object()}}}})})));
  CHECK_FALSE(apply::same_fields(before, fields_of({entry("me", "Apply", image(false)),
                                                    entry("them", "Update", replicas())})));
  CHECK_FALSE(
      apply::same_fields(before, fields_of(Json::array({entry("me", "Apply", replicas())}))));
  CHECK_FALSE(
      apply::same_fields(before, fields_of(Json::array({entry("me", "Update", image(true))}))));
  CHECK(fields_of(Json::array()).empty());
}

TEST_CASE("applied fields: an autoscaler may set the replicas, a person at its subresource not") {
  const std::string before = fields_of(Json::array({entry("me", "Apply", image(true))}));
  const auto scaled_by = [&](const char* manager) {
    return fields_of(
        {entry("me", "Apply", image(false)), entry(manager, "Update", replicas(), "scale")});
  };
  CHECK(apply::same_fields(before, scaled_by("kube-controller-manager")));
  CHECK_FALSE(apply::same_fields(before, scaled_by("kubectl")));
  const std::string without = fields_of(Json::array({entry("me", "Apply", image(false))}));
  CHECK(apply::same_fields(without, scaled_by("kube-controller-manager")));
  CHECK(apply::same_fields(without, scaled_by("kubectl")));
}
