#include <filesystem>

#include <doctest/doctest.h>

#include <kubist/deployers/deployer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "helm/helm_render.hpp"
#include "support/fake_cluster.hpp"
#include "support/variable.hpp"

using namespace kubist;
using namespace kubist::deployers;
using kubist::testing::Variable;
using kubist::util::cat;

namespace {

Item helm_item(Json config) {
  return parse_item({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                     {"kind", "DeployItem"},
                     {"metadata", {{"name", "web"}, {"namespace", "demo"}, {"uid", "1-2"}}},
                     {"spec", {{"type", "kubist.io/helm"}, {"config", std::move(config)}}}})
      .value();
}

ChartSource chart(Json from) {
  const auto config = parse_helm(helm_item({{"chart", std::move(from)}}));
  REQUIRE_MESSAGE(config, config.error().to_string());
  return config->chart;
}

std::string helm_refusal(Json config) {
  const auto parsed = parse_helm(helm_item(std::move(config)));
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().reason == "InvalidConfiguration");
  return parsed.error().to_string();
}

}  // namespace

TEST_CASE("helm config: every source of a chart, landscaper's and kubist's") {
  CHECK(chart({{"path", "./chart"}}).local);
  CHECK(chart({{"url", "https://x/c.tgz"}}).reference == "https://x/c.tgz");
  const ChartSource oci = chart({{"oci", "oci://host:5000/charts/web"}, {"version", "1.2.3"}});
  CHECK(oci.reference == "oci://host:5000/charts/web");
  CHECK(oci.version == "1.2.3");
  const ChartSource ref = chart({{"ref", "host:5000/charts/web:1.2.3"}});
  CHECK(ref.reference == "oci://host:5000/charts/web");
  CHECK(ref.version == "1.2.3");
  CHECK(chart({{"ref", "host/web@sha256:00"}}).reference == "oci://host/web@sha256:00");
  const ChartSource repo = chart({{"repo", "https://x"}, {"name", "web"}, {"version", "1"}});
  CHECK(repo.repo == "https://x");
  CHECK(repo.reference == "web");
  const ChartSource upstream = chart(
      {{"helmChartRepo",
        {{"helmChartRepoUrl", "https://x"}, {"helmChartName", "web"}, {"helmChartVersion", "2"}}}});
  CHECK(upstream.repo == "https://x");
  CHECK(upstream.version == "2");
  CHECK(chart({{"archive", {{"raw", util::base64_encode("tgz")}}}}).archive == "tgz");
  CHECK(chart({{"archive", {{"remote", {{"url", "https://x/c.tgz"}}}}}}).reference ==
        "https://x/c.tgz");
}

TEST_CASE("helm config: landscaper's older list of exports, from objects and from values") {
  const auto plan = parse_helm_plan(
      helm_item({{"chart", {{"ref", "host/charts/ingress:v0.1.0"}}},
                 {"exportsFromManifests",
                  {{{"key", "class"}, {"jsonPath", "Values.controller.ingressClass"}},
                   {{"key", "prometheus.port"},
                    {"jsonPath", R"(spec.template.metadata.annotations['prometheus\.io/port'])"},
                    {"fromResource",
                     {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "x"}}}}}}}));
  REQUIRE_MESSAGE(plan, plan.error().to_string());
  REQUIRE(plan->exports.size() == 2);
  CHECK(plan->exports[0].from.kind.empty());
  CHECK(plan->exports[1].from.kind == "Deployment");
}

TEST_CASE("helm config: what is wrong or not done is refused by name") {
  CHECK(helm_refusal({{"chart", Json::object()}}).find("exactly one of path") != std::string::npos);
  CHECK(helm_refusal({{"chart", {{"path", "a"}, {"url", "https://x"}}}}).find("path and url") !=
        std::string::npos);
  CHECK(helm_refusal({{"chart", {{"url", "file:///etc"}}}}).find("no http") != std::string::npos);
  CHECK(helm_refusal({{"chart", {{"path", "-x"}}}}).find("dash") != std::string::npos);
  for (const char* name : {"/srv/chart", "./chart", "..", "a/b"}) {
    CAPTURE(name);
    CHECK(helm_refusal({{"chart", {{"repo", "https://x"}, {"name", name}}}})
              .find("no name of a chart in a repository") != std::string::npos);
  }
  CHECK(helm_refusal({{"chart", {{"resourceRef", "x"}}}}).find("resourceRef") != std::string::npos);
  CHECK(helm_refusal({{"chart", {{"path", "a"}}}, {"helmDeployment", true}})
            .find("no helm release") != std::string::npos);
  CHECK(helm_refusal({{"chart", {{"path", "a"}}}, {"name", "Bad_Name"}}).find("Bad_Name") !=
        std::string::npos);
  CHECK(helm_refusal({{"xxx", "abc"}}).find("chart") != std::string::npos);
  Settings controller;
  controller.local_charts = false;
  const auto checked =
      find_deployer("helm", controller)->check(helm_item({{"chart", {{"path", "a"}}}}), controller);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().message.find("config.chart.path") != std::string::npos);
}

TEST_CASE("helm: no chart is fetched from an address that the place does not allow") {
  const auto asked = [](Json source) {
    std::string address;
    World world;
    Job job;
    job.place.check_chart_address = [&](const std::string& url) -> util::Result<> {
      address = url;
      return util::fail(
          util::make_error(util::ErrorKind::forbidden, "no", "", "AddressNotAllowed"));
    };
    const auto progress =
        find_deployer("helm", {})->advance(world, helm_item({{"chart", std::move(source)}}), job);
    REQUIRE_FALSE(progress);
    CHECK(progress.error().reason == "AddressNotAllowed");
    return address;
  };
  CHECK(asked({{"repo", "https://charts.example.com"}, {"name", "web"}}) ==
        "https://charts.example.com");
  CHECK(asked({{"url", "https://charts.example.com/web.tgz"}}) ==
        "https://charts.example.com/web.tgz");
  CHECK(asked({{"oci", "charts.example.com/web"}, {"version", "1"}}) ==
        "oci://charts.example.com/web");
  CHECK(asked({{"archive", {{"remote", {{"url", "https://charts.example.com/a"}}}}}}) ==
        "https://charts.example.com/a");
}

TEST_CASE("helm values: imports go where they are told, over what is written") {
  const auto config = parse_helm(helm_item({{"chart", {{"path", "a"}}},
                                            {"values", {{"a", {{"b", 1}, {"c", 2}}}}},
                                            {"valuesFrom",
                                             {{{"import", "all"}},
                                              {{"import", "one"}, {"path", "a.b"}},
                                              {{"import", "one"}, {"path", "new.deep"}}}}}));
  REQUIRE_MESSAGE(config, config.error().to_string());
  const auto values = helm_values(*config, {{"all", {{"a", {{"c", 3}}}, {"d", 4}}}, {"one", "x"}});
  REQUIRE_MESSAGE(values, values.error().to_string());
  CHECK(*values == Json::parse(R"({"a": {"b": "x", "c": 3}, "d": 4, "new": {"deep": "x"}})"));
  const auto missing = helm_values(*config, {{"one", "x"}});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().reason == "ImportNotFound");
  const auto scalar = helm_values(*config, {{"all", "secret-text"}, {"one", 1}});
  REQUIRE_FALSE(scalar);
  CHECK(scalar.error().message.find("secret-text") == std::string::npos);
}

TEST_CASE("helm login: from imports into files that helm reads, for sources that can have one") {
  const Json login_from{{"username", "u"}, {"password", "p"}};
  const ChartSource oci = chart({{"ref", "host:5000/charts/web:1"}, {"loginFrom", login_from}});
  const auto login = chart_login(oci, {{"u", "me"}, {"p", "pw"}});
  REQUIRE_MESSAGE(login, login.error().to_string());
  REQUIRE(*login);
  const util::TempDir folder;
  REQUIRE(write_login(folder.path(), oci, **login));
  CHECK(Json::parse(util::read_file(folder.path() / "registry/config.json").value()) ==
        Json{{"auths", {{"host:5000", {{"auth", util::base64_encode("me:pw")}}}}}});
  const ChartSource repo =
      chart({{"repo", "https://x"}, {"name", "web"}, {"loginFrom", login_from}});
  REQUIRE(write_login(folder.path(), repo, **login));
  const Json known = Json::parse(util::read_file(folder.path() / "repositories.yaml").value());
  CHECK(known["repositories"][0]["url"] == "https://x");
  CHECK(known["repositories"][0]["password"] == "pw");
  CHECK(chart_login(oci, {{"u", "me"}}).error().reason == "ImportNotFound");
  CHECK(chart_login(oci, {{"u", "me"}, {"p", 1}}).error().reason == "InvalidImport");
  CHECK(helm_refusal({{"chart", {{"path", "a"}, {"loginFrom", login_from}}}}).find("loginFrom") !=
        std::string::npos);
}

TEST_CASE("helm output: hooks are named and left out, tests are left out") {
  const auto chart = read_rendered(R"(---
# Source: web/templates/a.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {"helm.sh/hook": "pre-install,pre-upgrade"}}
---
apiVersion: v1
kind: Pod
metadata: {name: probe, annotations: {"helm.sh/hook": test}}
)");
  REQUIRE_MESSAGE(chart, chart.error().to_string());
  CHECK(chart->objects.size() == 1);
  CHECK(chart->hooks == std::vector<std::string>{"Job migrate (pre-install,pre-upgrade)"});
  const auto broken = read_rendered("apiVersion: v1\nkind: ConfigMap\n");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().reason == "RenderFailed");
}

TEST_CASE("helm program: an absent one is a clear error") {
  const util::TempDir empty;
  const Variable path("PATH", empty.path().string());
  {
    const Variable given("KUBIST_HELM", "");
    const auto helm = find_helm();
    REQUIRE_FALSE(helm);
    CHECK(helm.error().reason == "HelmNotFound");
    CHECK(helm.error().message.find("PATH (" + empty.path().string() + ")") != std::string::npos);
    CHECK(helm.error().message.find("$KUBIST_HELM") != std::string::npos);
  }
  const Variable given("KUBIST_HELM", "/nowhere/helm");
  CHECK(find_helm().error().message.find("/nowhere/helm") != std::string::npos);
}

TEST_CASE("helm: a rendered chart is kept no longer than its job") {
  const util::TempDir folder;
  const auto program = folder.path() / "helm";
  REQUIRE(util::write_file(program, cat("#!/bin/sh\necho \"$1\" >> ", folder.path().string(),
                                        "/calls\ncat <<END\napiVersion: v1\nkind: ConfigMap\n"
                                        "metadata: {name: a, namespace: demo}\nEND\n")));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Variable given("KUBIST_HELM", program.string());
  REQUIRE(util::write_file(folder.path() / "chart/Chart.yaml", "name: x"));
  testing::FakeCluster cluster;
  cluster.put({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "demo"}}}});
  World world;
  world.home = cluster.connect();
  world.settings.local_charts = true;
  Job job;
  job.id = "j";
  job.place.client = world.home;
  job.place.ns = "demo";
  for (const std::size_t renderings : {1, 2}) {
    Item item =
        helm_item({{"chart", {{"path", (folder.path() / "chart").string()}}}, {"name", "web"}});
    auto state = Progress::State::running;
    for (int looks = 0; looks < 5 && state == Progress::State::running; ++looks) {
      const auto progress = find_deployer("helm", {})->advance(world, item, job);
      REQUIRE_MESSAGE(progress, progress.error().to_string());
      state = progress->state;
      item.object["status"]["providerStatus"] = progress->provider_status;
    }
    CHECK(state == Progress::State::done);
    const auto calls = util::read_file(folder.path() / "calls");
    REQUIRE(calls);
    std::size_t templates = 0;
    for (const auto& line : util::split(*calls, '\n')) {
      templates += line == "template" ? 1 : 0;
    }
    CHECK(templates == renderings);
  }
}

TEST_CASE("helm: editing a local chart is new work") {
  const util::TempDir folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    REQUIRE(util::write_file(folder.path() / name, text));
    return local_chart_hash(folder.path());
  };
  CHECK(write("other", "x") == "missing");
  const std::string first = write("Chart.yaml", "name: x");
  CHECK(first != "missing");
  const std::string with_template = write("templates/a.yaml", "a: 1");
  CHECK(with_template != first);
  CHECK(write("templates/a.yaml", "a: 1") == with_template);
  CHECK(write("templates/a.yaml", "a: 2") != with_template);
  CHECK(local_chart_hash(folder.path() / "none") == "missing");
  const auto identity = [&] {
    return find_deployer("helm", {})
        ->identity(helm_item({{"chart", {{"path", folder.path().string()}}}}), {});
  };
  const Json before = identity();
  write("values.yaml", "x: 1");
  CHECK(identity() != before);
}
