#include <doctest/doctest.h>

#include <kubist/deployers/item.hpp>
#include <kubist/deployers/upstream.hpp>

using namespace kubist;
using namespace kubist::deployers;
using namespace std::chrono_literals;

TEST_CASE("item: both generations of the fields are read") {
  const Json early = Json::parse(R"({"metadata": {"name": "a", "namespace": "n", "uid": "u"},
    "spec": {"type": "script", "import": {"secretRef": {"name": "s", "key": "abc"}},
             "providerConfig": {"script": "true"}}})");
  const Item first = parse_item(early).value();
  CHECK(first.import_secret == "s");
  CHECK(first.import_key == "abc");
  CHECK(first.config == Json{{"script", "true"}});
  CHECK(first.timeout == 600s);
  const Json today = Json::parse(R"({"metadata": {"name": "a", "namespace": "n", "uid": "u"},
    "spec": {"type": "kubist.io/script", "timeout": "none", "target": {"name": "t"},
             "config": {"apiVersion": "x/v1", "kind": "ProviderConfiguration", "script": "true",
                        "importValues": {"a": 1}}}})");
  const Item second = parse_item(today).value();
  CHECK(second.config == first.config);
  CHECK(second.import_values == Json{{"a", 1}});
  CHECK_FALSE(second.timeout.has_value());
  CHECK(second.target == "t");
  Json both = early;
  both["spec"]["config"] = Json::object();
  CHECK_FALSE(parse_item(both).has_value());
  both = early;
  both["spec"]["timeout"] = "soon";
  CHECK(parse_item(both).error().message.find("soon") != std::string::npos);
  both["spec"]["timeout"] = "2562047h";  // no deadline may overflow
  CHECK(parse_item(both)->timeout == 24h * 3650);
}

TEST_CASE("items: upstream's fields say the same as kubist's own") {
  const Json own =
      Json::parse(R"({"type": "kubist.io/script", "timeout": "1m", "target": {"name": "dev"},
      "import": {"secretRef": {"name": "s", "key": "k"}}, "exportSchema": {"type": "object"},
      "exports": [{"name": "a", "public": true}], "config": {"script": "true"}})");
  const Json foreign = to_upstream_spec(own, "shop");
  std::vector<std::string> fields;
  for (const auto& [field, value] : foreign.items()) {
    fields.push_back(field);
  }
  CHECK(fields == std::vector<std::string>{"config", "target", "timeout", "type"});
  CHECK(foreign["target"] == Json{{"name", "dev"}, {"namespace", "shop"}});
  CHECK(foreign["config"]["apiVersion"] == "kubist.io/v1alpha1");
  const auto item = [](const Json& spec) {
    return parse_item({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                       {"kind", "DeployItem"},
                       {"metadata", {{"name", "i"}, {"namespace", "shop"}}},
                       {"spec", spec}})
        .value();
  };
  CHECK(item(foreign).config == item(own).config);
  CHECK(item(foreign).import_secret == "s");
  CHECK(item(foreign).import_key == "k");
  CHECK(item(foreign).export_schema == own["exportSchema"]);
  CHECK(item(foreign).public_exports == std::vector<std::string>{"a"});
}

TEST_CASE("items: a status in upstream's fields is whole, and comes back") {
  const Json own = Json::parse(
      R"({"phase": "Succeeded", "jobID": "1", "deployer": {"name": "kubist", "identity": "kubist"},
      "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
      "exportGeneration": 2, "exports": {"value": {"a": 1}}, "providerStatus": {"hash": "h"}})");
  const Json foreign = to_upstream_status(own);
  CHECK_FALSE(foreign.contains("exports"));
  CHECK_FALSE(foreign.contains("exportGeneration"));
  CHECK(foreign["providerStatus"]["kind"] == "ItemStatus");
  CHECK(foreign["observedGeneration"] == 0);
  CHECK(foreign["deployer"].contains("version"));
  CHECK(foreign["conditions"][0]["lastUpdateTime"] == "2026-01-01T00:00:00Z");
  CHECK(foreign["conditions"][0]["message"] == "");
  const Json back = from_upstream_status(foreign);
  CHECK(back["exports"] == own["exports"]);
  CHECK(back["exportGeneration"] == 2);
  CHECK(back["providerStatus"]["hash"] == "h");
  CHECK(to_upstream_status(back) == foreign);
}
