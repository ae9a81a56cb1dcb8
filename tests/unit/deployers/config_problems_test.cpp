#include <doctest/doctest.h>

#include <kubist/deployers/config_problems.hpp>

using kubist::data::Json;
using kubist::deployers::config_problems;

TEST_CASE("config problems: what a deployer would refuse has its place in the object") {
  const Json item{
      {"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
      {"kind", "DeployItem"},
      {"metadata", {{"name", "a"}, {"namespace", "n"}}},
      {"spec",
       {{"type", "kubist.io/script"}, {"config", {{"script", "true"}, {"hostNetwork", true}}}}}};
  const auto of_item = config_problems(item, {});
  REQUIRE(of_item.size() == 1);
  CHECK(of_item[0].pointer == "/spec/config");
  CHECK(of_item[0].error.message.find("hostNetwork is not allowed") != std::string::npos);

  const auto volume = [](const char* kind) {
    return Json::array({{{"name", "v"}, {kind, {{"path", "/"}}}}});
  };
  Json execution{{"apiVersion", "kubist.io/v1alpha1"},
                 {"kind", "Execution"},
                 {"metadata", {{"name", "e"}, {"namespace", "n"}}},
                 {"spec",
                  {{"items",
                    {{{"name", "fine"},
                      {"type", "Script"},
                      {"script", "true"},
                      {"volumes", volume("emptyDir")}},
                     {{"name", "host"},
                      {"type", "Script"},
                      {"script", "true"},
                      {"volumes", volume("hostPath")}},
                     {{"name", "many"}, {"type", "Templates"}, {"template", "function(x) {}"}}}}}}};
  execution["spec"]["items"][0]["volumes"][0]["emptyDir"] = Json::object();
  const auto of_items = config_problems(execution, {});
  REQUIRE(of_items.size() == 1);
  CHECK(of_items[0].pointer == "/spec/items/1");
  CHECK(of_items[0].error.message.starts_with("item host: "));
  CHECK(of_items[0].error.message.find("hostPath is not allowed") != std::string::npos);

  CHECK(config_problems({{"apiVersion", "v1"}, {"kind", "Secret"}}, {}).empty());
  Json foreign = item;
  foreign["spec"]["type"] = "example.com/other";
  CHECK(config_problems(foreign, {}).empty());
  for (const char* type : {"landscaper.gardener.cloud/container", "helm"}) {
    foreign["spec"]["type"] = type;
    CHECK(config_problems(foreign, {}).empty());
  }
}
