#include <doctest/doctest.h>
#include <unistd.h>

#include <kubist/kube/api_error.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/watch.hpp>

#include "connect.hpp"

using namespace kubist;
using namespace kubist::kube;
using data::Json;

namespace {

/// A namespace of its own for a test case, gone after it.
class TestNamespace {
 public:
  explicit TestNamespace(Client& client)
      : m_client(client),
        m_name("kube-test-" + std::to_string(getpid()) + "-" + std::to_string(s_count++)) {
    const auto created = m_client.json(
        create(well_known::namespaces(),
               {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", m_name}}}}));
    REQUIRE_MESSAGE(created, created.error().to_string());
  }
  ~TestNamespace() {
    static_cast<void>(m_client.run(remove(well_known::namespaces(), "", m_name)));
  }
  const std::string& name() const { return m_name; }

 private:
  inline static int s_count = 0;
  Client& m_client;
  std::string m_name;
};

Json config_map(const std::string& ns, const std::string& name, const std::string& value) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"data", {{"k", value}}}};
}

}  // namespace

TEST_CASE("kube: version, access questions and discovery of a real server") {
  const auto client = connect();
  const auto version = client->version();
  REQUIRE_MESSAGE(version, version.error().to_string());
  CHECK(version->major == 1);
  CHECK(version->minor >= 29);

  const auto may = client->can_i({.verb = "create",
                                  .group = "",
                                  .resource = "configmaps",
                                  .subresource = "",
                                  .ns = "default",
                                  .name = ""});
  REQUIRE_MESSAGE(may, may.error().to_string());
  CHECK(may->allowed);

  const auto resource = client->discovery().find_word("deploy");
  REQUIRE_MESSAGE(resource, resource.error().to_string());
  CHECK(resource->kind == "Deployment");
  CHECK(resource->has_subresource("status"));
  CHECK(client->discovery().find_kind("apps/v1", "StatefulSet")->plural == "statefulsets");
  const auto none = client->discovery().find_word("deploymens");
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("did you mean \"deployment") != std::string::npos);
  CHECK(client->discovery().failed_groups().empty());
}

TEST_CASE("kube: apply, conflict, patch, status errors, delete with preconditions") {
  const auto client = connect();
  const TestNamespace ns(*client);
  const ApiResource& maps = well_known::config_maps();

  const auto applied = client->run(kube::apply(maps, config_map(ns.name(), "a", "1")));
  REQUIRE_MESSAGE(applied, applied.error().to_string());
  CHECK(applied->status == 201);
  const auto again = client->run(kube::apply(maps, config_map(ns.name(), "a", "1")));
  REQUIRE(again);
  CHECK(again->status == 200);
  CHECK((*again->json())["metadata"]["resourceVersion"].get<std::string>() ==
        (*applied->json())["metadata"]["resourceVersion"].get<std::string>());

  ApplyOptions other;
  other.field_manager = "somebody";
  const auto conflict = client->run(kube::apply(maps, config_map(ns.name(), "a", "2"), other));
  REQUIRE_FALSE(conflict);
  CHECK(conflict.error().kind == util::ErrorKind::conflict);
  const auto fields = field_conflicts(conflict.error());
  REQUIRE(fields.size() == 1);
  CHECK(fields[0].manager == "kubist");
  CHECK(fields[0].field == ".data.k");
  CHECK(fields[0].operation == "Apply");
  other.force = true;
  CHECK(client->run(kube::apply(maps, config_map(ns.name(), "a", "2"), other)));

  Json wrong = config_map(ns.name(), "a", "1");
  wrong["dataa"] = Json::object();
  const auto strict = client->run(kube::apply(maps, wrong));
  REQUIRE_FALSE(strict);
  CHECK(strict.error().message.find("dataa") != std::string::npos);

  const auto patched =
      client->json(patch(maps, ns.name(), "a", PatchType::json,
                         Json::array({{{"op", "test"}, {"path", "/data/k"}, {"value", "2"}},
                                      {{"op", "replace"}, {"path", "/data/k"}, {"value", "3"}}})));
  REQUIRE_MESSAGE(patched, patched.error().to_string());
  CHECK((*patched)["data"]["k"].get<std::string>() == "3");
  const auto merged =
      client->json(patch(maps, ns.name(), "a", PatchType::strategic, {{"data", {{"l", "x"}}}}));
  REQUIRE(merged);
  CHECK((*merged)["data"].size() == 2);

  const auto wrong_uid = client->run(remove(maps, ns.name(), "a", {.uid = "not-it"}));
  REQUIRE_FALSE(wrong_uid);
  CHECK(wrong_uid.error().kind == util::ErrorKind::conflict);
  CHECK(client->run(remove(maps, ns.name(), "a", {.uid = (*merged)["metadata"]["uid"]})));
  const auto gone = client->find(maps, ns.name(), "a");
  REQUIRE(gone);
  CHECK_FALSE(gone->has_value());
  const auto not_found = client->json(get(maps, ns.name(), "a"));
  REQUIRE_FALSE(not_found);
  CHECK(not_found.error().kind == util::ErrorKind::not_found);
  CHECK(not_found.error().reason == "NotFound");
}
