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

TEST_CASE("applied fields: of all managers with a prefix, as of each, up to a limit") {
  const Json entries{entry("item-a", "Apply", image(true)), entry("other", "Apply", image(true)),
                     entry("item-b", "Apply", image(false)), entry("item-b", "Update", replicas()),
                     entry("item-a", "Apply", replicas())};
  const Json live{{"metadata", {{"managedFields", entries}}}};
  const auto all = apply::applied_fields_of(live, "item-", 2);
  CHECK(all.size() == 2);
  CHECK(all.at("item-a") == apply::applied_fields(live, "item-a"));
  CHECK(all.at("item-b") == apply::applied_fields(live, "item-b"));
  CHECK(apply::applied_fields_of(live, "item-", 1).empty());
}

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
