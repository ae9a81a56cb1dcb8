#include "world/addresses.hpp"

#include <doctest/doctest.h>

#include "world/patterns.hpp"

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

Json allow(const char* purpose, const std::vector<std::string>& patterns) {
  return {{"allow", {{purpose, patterns}}}};
}

bool takes_url(const char* pattern, const char* url) {
  const Json patterns = Json::array({pattern});
  return url_matches_any(&patterns, url);
}

bool takes_image(const char* pattern, const char* image) {
  const Json patterns = Json::array({pattern});
  return image_matches_any(&patterns, image);
}

/// What a Project is told of these patterns; empty: they are good.
std::string told(const Json& spec) {
  const auto checked = check_patterns(spec);
  return checked ? "" : checked.error().reason + ": " + checked.error().message;
}

}  // namespace

TEST_CASE("addresses: the Project or the Root allows them, each purpose by itself") {
  const Json none = Json::object();
  const char* const url = "https://prometheus.example.com/team";
  const Json grant = allow("metrics", {"https://prometheus.example.com/*"});
  CHECK(refusal(none, grant, "metrics", url) == "");
  CHECK(refusal(grant, none, "metrics", url) == "");
  CHECK(refusal(none, grant, "webhooks", url) ==
        "AddressNotAllowed: An administrator can add it to spec.allow.webhooks of the Project or "
        "of the Root.");
  CHECK(refusal(none, none, "metrics", url) != "");
  CHECK(refusal(none, grant, "metrics", "https://prometheus.example.com.evil/team") != "");
}

TEST_CASE("addresses: no grant is good for these") {
  const Json all =
      allow("metrics", {"http://169.254.169.254/*", "http://[fe80::1]/*", "http://[febf::1]:9090/*",
                        "https://evil.example.com/*", "https://prometheus.example.com/*",
                        "https://a.example.com/*", "https://february.example.com/*",
                        "http://[fd00::1]:9090", "http://10.0.0.1", "https://*.example.com:*/*"});
  for (const char* url :
       {"http://169.254.169.254/latest", "http://[fe80::1]/", "http://[FEBF::1%25eth0]:9090/",
        "https://good.example.com@evil.example.com/", "https://me:pw@prometheus.example.com/",
        "ftp://prometheus.example.com/", "file:///etc/passwd", "prometheus:9090", "",
        "https:///prometheus", "https://a.example.com/team/../other", "https://a.example.com/..",
        "https://a.example.com/team/%2E%2e/other", "https://a.example.com/team%2f..%2fother",
        "https://evil.test%2f.example.com/", "https://evil\xEF\xBC\x8F.example.com/"}) {
    CAPTURE(url);
    CHECK(refusal(Json::object(), all, "metrics", url).starts_with("AddressNotAllowed"));
    CHECK_FALSE(check_address(url, "it"));
  }
  for (const char* url : {"https://february.example.com/", "http://[fd00::1]:9090/",
                          "http://10.0.0.1", "https://a.example.com/v1..v2/.well-known"}) {
    CAPTURE(url);
    CHECK(refusal(Json::object(), all, "metrics", url) == "");
  }
}

TEST_CASE("addresses: a star stands for text of its own part of a URL") {
  CHECK(takes_url("https://*.example.com/*", "https://a.example.com/x"));
  CHECK(takes_url("https://*.example.com/*", "https://a.b.EXAMPLE.com:443/x/y?z=1"));
  CHECK(takes_url("https://team-*.example.com/", "https://team-a.example.com"));
  CHECK(takes_url("http://prometheus:9090/*", "http://prometheus:9090/api"));
  CHECK(takes_url("http://127.0.0.1:*/*", "http://127.0.0.1:1234/x"));
  CHECK(takes_url("https://example.com/team-*/in", "https://example.com/team-a/b/in"));
  CHECK(takes_url("http://[FD00::1]:9090/*", "http://[fd00::1]:9090/"));
  for (const auto& [pattern, url] :
       {std::pair{"https://*.example.com/*", "https://evil.test/x.example.com/"},
        {"https://*.example.com/*", "https://evil.test?x.example.com/"},
        {"https://*.example.com/*", "https://evil.test:443/.example.com/"},
        {"https://*.example.com/*", "https://example.com/"},
        {"https://*.example.com/*", "https://a.example.com.evil.test/"},
        {"https://*.example.com/*", "https://a.example.com:8443/"},
        {"https://*.example.com/*", "http://a.example.com/"},
        {"https://example.com:8443/*", "https://example.com/"},
        {"https://example.com/team", "https://example.com/team/x"},
        {"https://example.com", "https://example.com/team"},
        {"https://*", "https://evil.test/"},
        {"https://*.com/*", "https://evil.com/"},
        {"*", "https://evil.test/"},
        {"http*://example.com/*", "https://example.com/"}}) {
    CAPTURE(pattern);
    CAPTURE(url);
    CHECK_FALSE(takes_url(pattern, url));
  }
}

TEST_CASE("addresses: images are taken by registry, repository and version") {
  CHECK(takes_image("localhost/busybox:*", "localhost/busybox:1"));
  CHECK(takes_image("localhost/busybox:*", "localhost/busybox:1@sha256:ab"));
  CHECK(takes_image("registry.example.com/checks/*", "registry.example.com/checks/load:1.0"));
  CHECK(takes_image("registry.example.com/checks/*", "registry.example.com/checks/a/b@sha256:ab"));
  CHECK(takes_image("registry.example.com/*/checks:1.0", "registry.example.com/a/checks:1.0"));
  CHECK(takes_image("*.example.com:5000/checks/*", "eu.example.com:5000/checks/load"));
  CHECK(takes_image("busybox:*", "docker.io/library/busybox:1"));
  CHECK(takes_image("docker.io/library/busybox", "busybox"));
  CHECK(takes_image("docker.io/*", "team/tool:1"));
  for (const auto& [pattern, image] :
       {std::pair{"*/team/*", "evil.test/x/team/y"},
        {"*/team/*", "registry.example.com/team/y"},
        {"registry.example.com/*/team/*", "registry.example.com/a/b/team/y"},
        {"registry.example.com/checks/*", "evil.test/registry.example.com/checks/x"},
        {"registry.example.com/checks/*", "registry.example.com/checks"},
        {"registry.example.com/checks/*", "registry.example.com:444/checks/x"},
        {"registry.example.com/load:1.0", "registry.example.com/load:1.0@sha256:ab"},
        {"registry.example.com/load", "registry.example.com/load:1.0"},
        {"busybox:*", "evil.test/library/busybox:1"},
        {"team/*", "registry.example.com/team/x"},
        {"docker.io/*", "EVIL/team/x"},
        {"*", "evil.test/x"},
        {"*.com/x", "evil.com/x"}}) {
    CAPTURE(pattern);
    CAPTURE(image);
    CHECK_FALSE(takes_image(pattern, image));
  }
}

TEST_CASE("addresses: a pattern that stands for hosts of anybody is refused by name") {
  CHECK(told(allow("metrics", {"https://*.example.com/*", "http://prometheus:9090/*"})) == "");
  CHECK(told(allow("webhooks", {"https://hooks.example.com/*", "https://*.com/*"})) ==
        "PatternNotAllowed: spec.allow.webhooks[1] \"https://*.com/*\": the host \"*.com\" has a "
        "star in one of its last two labels, and so stands for hosts of anybody");
  for (const char* pattern :
       {"https://*", "https://*/x", "http://10.0.0.*/", "https://example.*/", "https://*.com./",
        "https://a@example.com/", "https://example.com:80*/", "http*://example.com/", "*"}) {
    CAPTURE(pattern);
    CHECK(
        told(allow("metrics", {pattern})).starts_with("PatternNotAllowed: spec.allow.metrics[0]"));
    CHECK(told({{"istioInstall", {{"sources", {pattern}}}}})
              .starts_with("PatternNotAllowed: spec.istioInstall.sources[0]"));
  }
  for (const char* pattern : {"*", "*/team/*", "*.com/x", "registry.*/x"}) {
    CAPTURE(pattern);
    CHECK(told(allow("jobs", {pattern})).starts_with("PatternNotAllowed: spec.allow.jobs[0]"));
  }
  CHECK(told({{"istioInstall",
               {{"sources",
                 {"ConfigMap/*", "Image/docker.io/istio/istioctl:*", "Image/a/b c *",
                  "https://example.com/istio/*"}}}}}) == "");
}

TEST_CASE("addresses: charts come from internal ones only where these are allowed") {
  const auto refused = [](const Json& root, const Json& spec, const std::string& url) {
    const auto graph =
        engine::Graph::build({node("Root", "", "root", root), node("Project", "", "shop", spec)});
    const auto found = graph.find({"kubist.io", "Project", "", "shop"});
    REQUIRE(found.size() == 1);
    const auto checked = check_chart_address(graph, &graph[found.front()], url);
    return checked ? std::string() : checked.error().reason + ": " + checked.error().hint;
  };
  const Json none = Json::object();
  const std::string told_how =
      "AddressNotAllowed: An administrator can add it to spec.allow.charts of the Project or of "
      "the "
      "Root.";
  for (const char* url :
       {"http://127.0.0.1:8080/c.tgz", "http://localhost/c", "oci://[::1]:5000/charts/web",
        "https://10.1.2.3/", "http://192.168.0.1/c", "https://172.16.0.1/", "https://100.64.0.1/",
        "http://[fd00::1]/", "http://2130706433/c", "http://127.1/c"}) {
    CAPTURE(url);
    CHECK(refused(none, none, url) == told_how);
  }
  for (const char* url :
       {"https://100.100.100.200/", "http://0.0.0.0/c"}) {  // nobody can allow them
    CAPTURE(url);
    CHECK(refused(none, none, url).find("not a link-local one") != std::string::npos);
  }
  CHECK(refused(none, none, "https://192.0.2.1/charts") == "");
  CHECK(refused(none, none, "oci://192.0.2.1/charts/web") == "");
  for (const char* url : {"http://169.254.169.254/latest", "https://me:pw@192.0.2.1/",
                          "http://2852039166/latest", "ftp://192.0.2.1/"}) {
    CAPTURE(url);
    CHECK(refused(allow("charts", {"http://2852039166/*", "http://169.254.169.254/*"}), none, url)
              .starts_with("AddressNotAllowed"));
  }
  const Json grant = allow("charts", {"http://localhost:*/*", "oci://10.1.2.3:5000/charts/*"});
  CHECK(refused(none, grant, "http://localhost:8080/c.tgz") == "");
  CHECK(refused(grant, none, "oci://10.1.2.3:5000/charts/web") == "");
  CHECK(refused(grant, none, "https://10.1.2.3:5000/charts/web") == told_how);
}
