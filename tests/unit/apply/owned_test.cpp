#include <doctest/doctest.h>

#include <kubist/apply/inventory.hpp>
#include <kubist/apply/owned.hpp>

using namespace kubist;
using namespace kubist::apply;
using data::Json;

TEST_CASE("owned: record, mark and uid must agree") {
  const OwnerMark label{OwnerMark::On::label, "owner", "me"};
  const OwnerMark annotation{OwnerMark::On::annotation, "owner", "me"};
  const Json live{
      {"metadata",
       {{"uid", "u1"}, {"labels", {{"owner", "me"}}}, {"annotations", {{"owner", "me"}}}}}};
  const auto reason = [&](const std::string& uid, const OwnerMark& mark) {
    return reason_to_leave({{"", "ConfigMap", "ns", "x"}, "v1", uid}, live, mark);
  };
  CHECK(reason("u1", label).empty());
  CHECK(reason("u1", annotation).empty());
  // Recorded before it was made, and then the run was killed: the mark is all there is.
  CHECK(reason("", label).empty());
  CHECK(reason("u2", label) == "it was deleted and made again by somebody else");
  CHECK(reason("u1", {OwnerMark::On::label, "owner", "other"}) ==
        "its label owner names another owner or none");
  CHECK(reason("", {OwnerMark::On::annotation, "holder", "me"}) ==
        "its annotation holder names another owner or none");
}

TEST_CASE("owned: of a set, an annotation that asks to keep an object is heard") {
  const InventoryName name{"team", "set"};
  Owned owned{
      {{"", "ConfigMap", "team", "x"}, "v1", "u1"},
      {},
      {{"metadata",
        {{"uid", "u1"}, {"labels", {{"applyset.kubernetes.io/part-of", applyset_id(name)}}}}}}};
  CHECK(reason_to_keep(owned, name).empty());
  CHECK_FALSE(reason_to_keep(owned, {"team", "other"}).empty());
  owned.live["metadata"]["annotations"]["cli-utils.sigs.k8s.io/on-remove"] = "keep";
  CHECK(reason_to_keep(owned, name) == "its annotation asks to keep it");
}
