#include "world/addresses.hpp"

#include <doctest/doctest.h>

using namespace kubist;
using namespace kubist::executors;
using data::Json;

namespace {

engine::Node node(const char* kind, const char* ns, const char* name, Json spec) {
  return engine::make_node(Json{{"apiVersion", "kubist.io/v1alpha1"},
                                {"kind", kind},
                                {"metadata", {{"name", name}, {"namespace", ns}, {"uid", name}}},
                                {"spec", std::move(spec)}});
}

/// Whether a Cluster of the project may have the URL asked: "" or the reason and the hint.
std::string refusal(const Json& root, const Json& project, const char* purpose, const char* url) {
  const auto graph =
      engine::Graph::build({node("Root", "", "root", root), node("Project", "", "shop", project),
                            node("Cluster", "shop", "c", Json::object())});
  const auto found = graph.find({"kubist.io", "Cluster", "shop", "c"});
  REQUIRE(found.size() == 1);
  const auto checked = check_address(graph, graph[found.front()], purpose, url, "it");
  return checked ? "" : checked.error().reason + ": " + checked.error().hint;
}

Json allow(const char* purpose, const char* pattern) { return {{"allow", {{purpose, {pattern}}}}}; }

}  // namespace

TEST_CASE("addresses: the Project or the Root allows them, each purpose by itself") {
  const Json none = Json::object();
  const char* const url = "https://prometheus.example.com/team";
  const Json grant = allow("metrics", "https://prometheus.example.com/*");
  CHECK(refusal(none, grant, "metrics", url) == "");
  CHECK(refusal(grant, none, "metrics", url) == "");
  CHECK(refusal(none, grant, "webhooks", url) ==
        "AddressNotAllowed: An administrator can add it to spec.allow.webhooks of the Project or "
        "of the Root.");
  CHECK(refusal(none, none, "metrics", url) != "");
  CHECK(refusal(none, grant, "metrics", "https://prometheus.example.com.evil/team") != "");
}

TEST_CASE("addresses: no grant is good for these") {
  const Json all = allow("metrics", "*");
  for (const char* url :
       {"http://169.254.169.254/latest", "http://[fe80::1]/", "http://[FEBF::1%25eth0]:9090/",
        "https://good.example.com@evil.example.com/", "https://me:pw@prometheus.example.com/",
        "ftp://prometheus.example.com/", "file:///etc/passwd", "prometheus:9090", "",
        "https:///prometheus", "https://a.example.com/team/../other", "https://a.example.com/..",
        "https://a.example.com/team/%2E%2e/other", "https://a.example.com/team%2f..%2fother"}) {
    CAPTURE(url);
    CHECK(refusal(Json::object(), all, "metrics", url).starts_with("AddressNotAllowed"));
    CHECK_FALSE(check_address(url, "it"));
  }
  for (const char* url : {"https://february.example.com/", "http://[fd00::1]:9090",
                          "http://10.0.0.1", "https://a.example.com/v1..v2/.well-known"}) {
    CAPTURE(url);
    CHECK(refusal(Json::object(), all, "metrics", url) == "");
  }
}
