#include <doctest/doctest.h>

#include <kubist/apply/inventory.hpp>

using namespace kubist;
using namespace kubist::apply;
using data::Json;

TEST_CASE("inventory: entries survive the ConfigMap") {
  const InventoryName name{"team", "set"};
  InventoryEntries entries;
  entries[{"apps", "Deployment", "team", "web"}] = {"apps/v1", "1-2"};
  entries[{"", "Namespace", "", "other"}] = {"v1", ""};
  entries[{"rbac.authorization.k8s.io", "ClusterRole", "", "system:x"}] = {
      "rbac.authorization.k8s.io/v1", "3"};
  entries[{"", "ConfigMap", "other", "a.b"}] = {"v1", "4"};
  const Json object = inventory_objects(name, entries).head;
  const auto read = inventory_entries(object);
  REQUIRE(read);
  CHECK(*read == entries);
  CHECK(object["metadata"]["labels"]["applyset.kubernetes.io/id"] == applyset_id(name));
  CHECK(object["metadata"]["annotations"]["applyset.kubernetes.io/contains-group-kinds"] ==
        "ClusterRole.rbac.authorization.k8s.io,ConfigMap,Deployment.apps,Namespace");
  CHECK(object["metadata"]["annotations"]["applyset.kubernetes.io/additional-namespaces"] ==
        "other");
}

TEST_CASE("inventory: what one ConfigMap does not hold overflows into others") {
  const InventoryName name{"team", "set"};
  const auto make = [](std::size_t count, std::size_t length) {
    InventoryEntries entries;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      entries[{"apps", "Deployment", std::string(63, 'n'),
               std::string(length - number.size(), 'x') + number}] = {"apps/v1",
                                                                      std::string(36, 'u')};
    }
    return entries;
  };
  CHECK(inventory_objects(name, make(2000, 10)).parts.empty());
  CHECK_FALSE(inventory_objects(name, make(2000, 10)).head["data"].contains("parts"));
  for (const auto& [count, length, parts] :
       {std::tuple{2001, 10, 1}, std::tuple{4500, 10, 2}, std::tuple{5000, 253, 2}}) {
    CAPTURE(count);
    const InventoryEntries entries = make(count, length);
    const InventoryObjects objects = inventory_objects(name, entries);
    CHECK(objects.parts.size() == static_cast<std::size_t>(parts));
    CHECK(objects.head.dump().size() < 1000000);
    auto read = inventory_entries(objects.head).value();
    std::vector<std::string> names;
    for (const Json& part : objects.parts) {
      CHECK(part.dump().size() < 1000000);
      CHECK(check_part(name, part));
      names.push_back(part["metadata"]["name"]);
      auto more = inventory_entries(part).value();
      read.merge(more);
    }
    CHECK(read == entries);
    CHECK(names == inventory_parts(objects.head));
  }
  Json changed = inventory_objects(name, make(2001, 10)).parts[0];
  changed["data"]["entries"] = "";
  CHECK_FALSE(check_part(name, changed));
}

TEST_CASE("inventory: the id is that of KEP-3659") {
  // printf 'set.team.ConfigMap.' | openssl sha256 -binary | base64 | tr +/ -_ | tr -d =
  CHECK(applyset_id({"team", "set"}) == "applyset-1MctYPpcppTgAO9NQ3tRiERfWs50Gfn7om2kV-dSQGs-v1");
}

TEST_CASE("inventory: a line that cannot be read is an error, not a guess") {
  const Json object{{"data", {{"entries", "v1 ConfigMap a/b\n"}}}};
  CHECK_FALSE(inventory_entries(object));
}
