#include <fstream>

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>

#include "run_words.hpp"

using namespace kubist;
using testing::run_words;

namespace {

// A file with one TrafficRoute.
class RouteFile {
 public:
  explicit RouteFile(std::string_view condition) {
    std::ofstream(path()) << "apiVersion: kubist.io/v1alpha1\nkind: TrafficRoute\n"
                             "metadata: {name: shop, namespace: p}\n"
                             "spec:\n"
                             "  virtualClusterRef: {name: prod}\n"
                             "  hosts: [shop.example.com]\n"
                             "  gateways: [edge]\n"
                             "  routes:\n"
                             "  - name: beta\n"
                             "    condition: '"
                          << condition
                          << "'\n"
                             "    weights: [{destination: shop, version: v2, weight: 1}]\n"
                             "  - weights:\n"
                             "    - {destination: shop, version: v1, weight: 3}\n"
                             "    - {destination: shop, version: v2, weight: 1}\n";
  }
  std::string path() const { return (m_folder.path() / "route.yaml").string(); }

 private:
  util::TempDir m_folder;
};

constexpr const char* k_condition = R"(header "X-Beta" present or uri prefix "/beta")";

}  // namespace

TEST_CASE("route explain: conditions are written out, shares are in percent") {
  const RouteFile file(k_condition);
  const auto ran = run_words({"route", "explain", "-f", file.path(), "--target-namespace", "prod"});
  CAPTURE(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out ==
        "TrafficRoute/shop\n"
        "hosts:    shop.example.com\n"
        "gateways: prod/edge\n"
        "\n"
        "1. beta: header \"x-beta\" present\n"
        "     or uri prefix \"/beta\"\n"
        "     to shop v2 100 %\n"
        "2. route-2: all other requests\n"
        "     to shop v1 75 %, shop v2 25 %\n");
}

TEST_CASE("route explain: says which route a request takes") {
  const RouteFile file(k_condition);
  const auto taken = [&](std::vector<std::string> request) {
    std::vector<std::string> words{"route", "explain", "-f", file.path(), "-o", "json"};
    words.insert(words.end(), request.begin(), request.end());
    const auto ran = run_words(words);
    CAPTURE(ran.err);
    REQUIRE(ran.code == 0);
    return data::Json::parse(ran.out)["takes"].get<std::string>();
  };
  CHECK(taken({"--request", "/cart"}) == "route-2");
  CHECK(taken({"--request", "/beta/x"}) == "beta");
  CHECK(taken({"--request", "/cart", "-H", "x-beta: 1"}) == "beta");
  const auto yaml = run_words({"route", "explain", "-f", file.path(), "-o", "yaml"});
  CHECK(yaml.code == 0);
  CHECK(yaml.out.find("\nname: shop\n") != std::string::npos);
  const auto none = run_words({"route", "explain", "--condition", "cookie \"a\" exact \"1\"",
                               "--request", "/", "--cookie", "a=2"});
  CHECK(none.code == 3);
  CHECK(none.out.find("takes none of them") != std::string::npos);
  CHECK(run_words({"route", "explain", "--condition", "", "--request", "cart"}).code == 64);
}

TEST_CASE("route explain: prints the object that the route becomes") {
  const RouteFile file(k_condition);
  const auto ran = run_words({"route", "explain", "-f", file.path(), "-o", "virtualservice"});
  CHECK(ran.code == 0);
  CHECK(ran.out.find("kind: VirtualService") != std::string::npos);
  CHECK(ran.out.find("subset: v2") != std::string::npos);
  const auto refused = run_words({"route", "explain", "-f", file.path(), "-o", "httproute"});
  CHECK(refused.code != 0);
  CHECK(refused.out.empty());
  CHECK(refused.err.find("names no port") != std::string::npos);
}

TEST_CASE("validate: a condition that does not parse is shown with file, line and caret") {
  const RouteFile file("uri prefix /beta");
  const auto ran = run_words({"validate", "-f", file.path()});
  CAPTURE(ran.err);
  CHECK(ran.code != 0);
  CHECK(ran.err.find(file.path() + ":10:") != std::string::npos);
  CHECK(ran.err.find("\n  uri prefix /beta\n             ^") != std::string::npos);
  CHECK(run_words({"validate", "-f", RouteFile(k_condition).path()}).code == 0);
}
