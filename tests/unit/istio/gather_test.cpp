// What is asked of an API server, and what its refusals become.
#include <algorithm>
#include <atomic>
#include <iterator>

#include <doctest/doctest.h>

#include <kubist/istio/check.hpp>
#include <kubist/istio/probe.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "evidence_support.hpp"
#include "support/fake_transport.hpp"
#include "support/paths.hpp"

using namespace istio_test;
namespace http = kubist::http;
namespace kube = kubist::kube;
namespace util = kubist::util;

namespace {

/// A cluster that answers with objects recorded from one that `istioctl manifest generate` filled
/// (tests/data/istio/installed.json: lists by path).
class RecordedCluster {
 public:
  RecordedCluster() {
    const auto text =
        util::read_file(kubist::paths::source_dir() + "/tests/data/istio/installed.json");
    REQUIRE(text);
    m_answers = Json::parse(*text);
  }
  Json& answer(const std::string& path) {
    REQUIRE_MESSAGE(m_answers.contains(path), path);
    return m_answers[path];
  }
  void rename_namespace(const std::string& name) {
    m_answers = Json::parse(util::replace_all(m_answers.dump(), "istio-system", name));
  }
  /// A VirtualCluster of kubist's keeps that namespace from here on.
  void keep_namespace(const std::string& name) {
    Json& items = answer("/api/v1/namespaces")["items"];
    auto found = std::ranges::find_if(
        items, [&](const Json& each) { return each["metadata"]["name"] == name; });
    if (found == items.end()) {
      items.push_back({{"metadata", {{"name", name}}}});
      found = std::prev(items.end());
    }
    (*found)["metadata"]["annotations"]["kubist.io/owner"] =
        "uid/VirtualCluster.kubist.io/shop/dev";
  }
  void forbid(const std::string& path) { m_forbidden.insert(path); }
  void break_with(int status) { m_status = status; }

  Evidence look(const GatherOptions& options = {}) {
    auto fake = std::make_shared<kubist::testing::FakeTransport>();
    for (const char* method : {"GET", "POST"}) {
      fake->handle(method, "/*", [this](const http::Request& request) { return respond(request); });
    }
    kube::ClusterAccess access;
    access.server = "http://fake";
    kube::ClientOptions connection;
    connection.transport = fake;
    connection.discovery_cache = false;
    const auto client = kube::Client::connect(access, connection);
    REQUIRE(client);
    const auto evidence = gather(**client, options);
    REQUIRE(evidence);
    log = fake->log();
    return *evidence;
  }
  std::vector<std::string> log;
  mutable std::atomic<std::size_t> longest_answer = 0;  ///< that was asked for; discovery left out

 private:
  // The items of a list that the request's label selector takes.
  static Json selected(Json answer, const std::string& url) {
    const std::size_t at = url.find("labelSelector=");
    if (at == url.npos || !answer.contains("items")) {
      return answer;
    }
    std::string text = url.substr(at + 14, url.find('&', at) - at - 14);
    for (const auto& [code, plain] :
         {std::pair{"%3D", "="}, std::pair{"%2F", "/"}, std::pair{"%20", " "},
          std::pair{"%28", "("}, std::pair{"%29", ")"}, std::pair{"%2C", ","}}) {
      text = util::replace_all(text, code, plain);
    }
    const auto selector_of_list = kubist::resources::LabelSelector::parse(text);
    REQUIRE_MESSAGE(selector_of_list, text);
    Json items = Json::array();
    for (const Json& item : answer["items"]) {
      if (selector_of_list->matches(item["metadata"].value("labels", Json::object()))) {
        items.push_back(item);
      }
    }
    answer["items"] = std::move(items);
    return answer;
  }

  util::Result<http::Response> respond(const http::Request& request) const {
    std::string path = request.url.substr(std::string("http://fake").size());
    path = path.substr(0, path.find('?'));
    if (path != "/api" && path != "/apis" && request.method == "GET") {
      longest_answer = std::max<std::size_t>(longest_answer, request.max_body);
    }
    http::Response response;
    response.headers.push_back({"Content-Type", "application/json"});
    if (m_status != 0) {
      response.status = m_status;
      response.body = "{}";
    } else if (m_forbidden.contains(path)) {
      response.status = 403;
      response.body =
          R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403,"message":"no"})";
    } else if (request.method == "POST") {
      response.status = 400;
      response.body =
          R"({"kind":"Status","status":"Failure","reason":"BadRequest","code":400,"message":)"
          R"("admission webhook \"rev.validation.istio.io\" denied the request: x"})";
    } else if (m_answers.contains(path)) {
      response.status = 200;
      response.body = m_answers.at(path).is_string()
                          ? m_answers.at(path).get<std::string>()
                          : selected(m_answers.at(path), request.url).dump();
    } else {
      response.status = 404;
      response.body = R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})";
    }
    return response;
  }

  Json m_answers;
  std::set<std::string> m_forbidden;
  int m_status = 0;
};

/// As the istiod among these, but there.
Json istiod_in(const Json& planes, const char* ns) {
  Json plane = *std::ranges::find_if(
      planes, [](const Json& each) { return each["metadata"]["name"] == "istiod"; });
  plane["metadata"]["namespace"] = ns;
  return plane;
}

}  // namespace

TEST_CASE("gather: a recorded installation reads as healthy, without a write") {
  RecordedCluster cluster;
  const Evidence evidence = cluster.look();
  const Report report = judge(evidence);
  CHECK_MESSAGE(report.verdict == Verdict::healthy, codes(report));
  CHECK(report.version == "1.31.0");
  REQUIRE(report.revisions.size() == 1);
  CHECK(report.revisions[0].version_source == "istiod");
  CHECK(report.revisions[0].proxies == 1);  // the gateway's
  for (const std::string& line : cluster.log) {
    CAPTURE(line);
    const bool dry =
        line.starts_with("POST /apis/networking.istio.io/v1/namespaces/istio-system/gateways?") &&
        line.find("dryRun=All") != line.npos;
    CHECK((line.starts_with("GET ") || dry));
  }
}

TEST_CASE("gather: where nothing is found, nothing more is asked") {
  RecordedCluster cluster;
  for (const char* path :
       {"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "/apis/apps/v1/deployments",
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
        "/api/v1/services"}) {
    cluster.answer(path)["items"] = Json::array();
  }
  Json& groups = cluster.answer("/apis")["items"];
  groups.erase(
      std::remove_if(groups.begin(), groups.end(),
                     [](const Json& group) {
                       return group["metadata"]["name"].get<std::string>().ends_with("istio.io");
                     }),
      groups.end());
  CHECK(judge(cluster.look()).verdict == Verdict::absent);
  CHECK(cluster.log.size() == 9);  // discovery is two of them
  cluster.forbid("/api/v1/namespaces");
  CHECK(judge(cluster.look()).verdict == Verdict::absent);
}

TEST_CASE("gather: 403 on each list in turn is unknown and names the list") {
  const std::vector<std::pair<const char*, const char*>> lists{
      {"/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
       "customresourcedefinitions.apiextensions.k8s.io"},
      {"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
       "mutatingwebhookconfigurations.admissionregistration.k8s.io"},
      {"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
       "validatingwebhookconfigurations.admissionregistration.k8s.io"},
      {"/apis/apps/v1/deployments", "deployments.apps"},
      {"/api/v1/services", "services"},
      {"/apis/apps/v1/daemonsets", "daemonsets.apps"},
      {"/api/v1/namespaces", "namespaces"},
      {"/api/v1/pods", "pods"},
      {"/api/v1/configmaps", "configmaps"},
      {"/api/v1/namespaces/istio-system/configmaps/istio-ca-root-cert", "configmaps"},
      {"/apis/discovery.k8s.io/v1/endpointslices", "endpointslices.discovery.k8s.io"},
      {"/apis/rbac.authorization.k8s.io/v1/clusterroles", "clusterroles.rbac.authorization.k8s.io"},
      {"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
       "clusterrolebindings.rbac.authorization.k8s.io"}};
  for (const auto& [path, resource] : lists) {
    CAPTURE(path);
    RecordedCluster cluster;
    cluster.forbid(path);
    const Report report = judge(cluster.look());
    CHECK(report.verdict == Verdict::unknown);
    CHECK_MESSAGE(codes(report).starts_with("unknown forbidden:" + std::string(resource) + '\n'),
                  codes(report));
  }
}

TEST_CASE("gather: older proxies in recorded pods are skew") {
  RecordedCluster cluster;
  for (Json& pod : cluster.answer("/api/v1/pods")["items"]) {
    for (Json& container : pod["spec"]["containers"]) {
      if (container["name"] == "istio-proxy") {
        container["image"] = "docker.io/istio/proxyv2:1.28.4-distroless";
      }
    }
  }
  const Report report = judge(cluster.look());
  CHECK(report.verdict == Verdict::degraded);
  CHECK_MESSAGE(codes(report) == "degraded skew\n", codes(report));
  CHECK(report.findings.front().evidence.starts_with(
      "1 of 1 proxies run 1.28.4, istiod 1.31.0: istio-system/"));
}

TEST_CASE("gather: what is worth knowing only does not make a verdict unknown") {
  RecordedCluster cluster;
  cluster.forbid("/api/v1/namespaces/istio-system/secrets");
  cluster.forbid("/version");
  const Report report = judge(cluster.look());
  CHECK_MESSAGE(report.verdict == Verdict::healthy, codes(report));
  CHECK(report.notes.size() == 2);
}

TEST_CASE("gather: a server that is down or refuses the credentials is unknown") {
  for (const auto& [status, code] :
       {std::pair{503, "apiserver:503"}, std::pair{401, "apiserver:401"}}) {
    CAPTURE(status);
    RecordedCluster cluster;
    cluster.break_with(status);
    const Report report = judge(cluster.look());
    CHECK(report.verdict == Verdict::unknown);
    CHECK_MESSAGE(codes(report) == "unknown " + std::string(code) + '\n', codes(report));
  }
}

TEST_CASE("gather: what a member calls Istio's in a project's namespace is none of it") {
  RecordedCluster cluster;
  cluster.keep_namespace("shop-dev");
  Json& planes = cluster.answer("/apis/apps/v1/deployments")["items"];
  Json plane = istiod_in(planes, "shop-dev");
  plane["metadata"]["labels"]["istio.io/rev"] = "a-evil";
  planes.insert(planes.begin(), plane);
  cluster.answer("/api/v1/services")["items"].push_back(
      {{"metadata",
        {{"name", "istiod-b-evil"},
         {"namespace", "shop-dev"},
         {"labels", {{"istio.io/rev", "b-evil"}}}}}});
  cluster.answer("/apis/apps/v1/daemonsets")["items"].push_back(
      {{"metadata", {{"name", "mine"}, {"namespace", "shop-dev"}}},
       {"spec", {{"selector", {{"matchLabels", {{"app", "ztunnel"}}}}}}},
       {"status", {{"desiredNumberScheduled", 2}, {"numberReady", 0}}}});
  const Report report = judge(cluster.look());
  CHECK_MESSAGE(report.verdict == Verdict::healthy, codes(report));
  CHECK(report.revisions.size() == 1);
  for (const std::string& line : cluster.log) {
    CHECK_MESSAGE(line.find("shop-dev/configmaps") == line.npos, line);
  }
}

TEST_CASE("gather: where a webhook leads to a project's namespace, that has Istio") {
  RecordedCluster cluster;
  SUBCASE("of any name") { cluster.rename_namespace("mesh"); }
  SUBCASE("of Istio's name") {}
  for (const char* name : {"mesh", "istio-system"}) {
    cluster.keep_namespace(name);
  }
  const Report report = judge(cluster.look());
  CHECK_MESSAGE(report.verdict == Verdict::healthy, codes(report));
  CHECK(report.revisions.size() == 1);
}

TEST_CASE("gather: what a member calls Istio's uses up no limit") {
  RecordedCluster cluster;
  cluster.keep_namespace("shop-dev");
  Json& planes = cluster.answer("/apis/apps/v1/deployments")["items"];
  Json plane = istiod_in(planes, "shop-dev");
  for (int i = 0; i < 65; ++i) {
    plane["metadata"]["name"] = util::cat("istiod-", i);
    planes.push_back(plane);
  }
  const Report report = judge(cluster.look());
  CHECK_MESSAGE(report.verdict == Verdict::healthy, codes(report));
}

TEST_CASE("gather: what is too much to be kept or judged is unknown, and says which list") {
  RecordedCluster cluster;
  const std::string webhooks =
      "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  std::string message;
  Json object{{"metadata", {{"name", "x"}}}};
  const auto fill = [&](const std::string& path, int count) {
    Json& items = cluster.answer(path)["items"];
    for (int i = 0; i < count; ++i) {
      object["metadata"]["name"] = util::cat("extra-", i);
      items.push_back(object);
    }
  };
  SUBCASE("namespaces") {
    fill("/api/v1/namespaces", 10'001);
    message = "http://fake has too many namespaces: more than 10000";
  }
  SUBCASE("what is kept of all lists") {
    object["webhooks"] = {{{"name", "x.istio.io"}}};
    object["webhooks"][0]["clientConfig"]["caBundle"] = std::string(std::size_t{30} << 20U, 'A');
    fill(webhooks, 1);
    fill("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", 1);
    message = "more than 32 MiB of memory";
  }
  SUBCASE("control planes") {
    object["metadata"]["labels"] = {{"app", "istiod"}};
    fill("/apis/apps/v1/deployments", 65);
    message = "http://fake has too many deployments.apps: more than 64";
  }
  SUBCASE("configurations of webhooks") {
    object["webhooks"] = {{{"name", "x.istio.io"}}};
    fill(webhooks, 65);
    message =
        "http://fake has too many mutatingwebhookconfigurations.admissionregistration.k8s.io: more "
        "than 64";
  }
  SUBCASE("webhooks") {
    for (int i = 0; i < 513; ++i) {
      object["webhooks"].push_back({{"name", "x.istio.io"}});
    }
    fill(webhooks, 1);
    message =
        "http://fake has too many mutatingwebhookconfigurations.admissionregistration.k8s.io: more "
        "than 512 webhooks, or 1 MiB of memory for their selectors";
  }
  SUBCASE("what webhooks select") {
    object["webhooks"] = {{{"name", "x.istio.io"}}};
    for (int i = 0; i < 10'000; ++i) {
      object["webhooks"][0]["objectSelector"]["matchLabels"][util::cat("label-", i)] = "value";
    }
    fill(webhooks, 1);
    message =
        "http://fake has too many mutatingwebhookconfigurations.admissionregistration.k8s.io: more "
        "than 512 webhooks, or 1 MiB of memory for their selectors";
  }
  const Report report = judge(cluster.look());
  CHECK(report.verdict == Verdict::unknown);
  REQUIRE_MESSAGE(codes(report).starts_with("unknown apiserver:TooLarge\n"), codes(report));
  const std::string& told = report.findings.front().evidence;
  CHECK_MESSAGE(told.find(message) != told.npos, told);
}

TEST_CASE("gather: names and labels that no API server lets in are passed over") {
  RecordedCluster cluster;
  Json& items = cluster.answer("/api/v1/namespaces")["items"];
  const std::size_t before = items.size();
  items.push_back({{"metadata", {{"name", std::string(254, 'a')}}}});
  items.push_back({{"metadata", {{"name", "x"}, {"labels", {{"a", std::string(64, 'b')}}}}}});
  items.push_back({{"metadata", {{"name", std::string(253, 'a')}}}});
  const Evidence evidence = cluster.look();
  CHECK(evidence.namespaces->size() == before + 1);
  CHECK(cluster.longest_answer == std::size_t{512} << 20U);
}

TEST_CASE("gather: a CRD that discovery does not list is asked for its conditions") {
  RecordedCluster cluster;
  const std::string path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string name = "oddities.networking.istio.io";
  cluster.answer(path)["items"].push_back(
      {{"metadata", {{"name", name}, {"creationTimestamp", "2020-01-01T00:00:00Z"}}}});
  const Report gone = judge(cluster.look());
  CHECK_MESSAGE(gone.verdict == Verdict::healthy, codes(gone));
  CHECK(std::count(cluster.log.begin(), cluster.log.end(), "GET " + path + '/' + name) == 1);
}

TEST_CASE("gather: a time limit of 0 is none") {
  GatherOptions options;
  options.timeout = std::chrono::seconds(0);
  const Report report = judge(RecordedCluster().look(options));
  CHECK_MESSAGE(report.verdict == Verdict::healthy, codes(report));
}

TEST_CASE("probe: a refusal is what it wants") {
  const auto error = [](util::ErrorKind kind, const char* message) {
    return util::Result<kube::Reply>(util::fail(kind, message));
  };
  CHECK(classify_probe(kube::Reply{}) == Probe::Outcome::not_consulted);
  CHECK(classify_probe(
            error(util::ErrorKind::denied, "admission webhook \"x\" denied the request: y")) ==
        Probe::Outcome::works);
  CHECK(classify_probe(error(
            util::ErrorKind::unavailable,
            "Internal error occurred: failed calling webhook \"x\": x509: unknown authority")) ==
        Probe::Outcome::unreachable);
  CHECK(classify_probe(error(util::ErrorKind::forbidden, "gateways is forbidden")) ==
        Probe::Outcome::not_run);
  CHECK(classify_probe(error(util::ErrorKind::timeout, "no answer")) == Probe::Outcome::not_run);
}

TEST_CASE("gather: what a member nests too deep is passed over, and noted") {
  RecordedCluster cluster;
  const std::string deep = std::string(600, '[') + std::string(600, ']');
  for (const auto& [path, label] : {std::pair{"/api/v1/pods", "service.istio.io/canonical-name"},
                                    {"/api/v1/pods", "app"},
                                    {"/apis/apps/v1/deployments", "app"},
                                    {"/apis/apps/v1/daemonsets", "app"},
                                    {"/api/v1/services", "istio.io/rev"}}) {
    cluster.answer(path)["items"].push_back(
        {{"metadata",
          {{"name", "deep"},
           {"namespace", "shop-dev"},
           {"labels", {{label, label == std::string("app") ? "istiod" : "x"}}},
           {"deep", Json::parse(deep)}}}});
  }
  const Report report = judge(cluster.look());
  CHECK_MESSAGE(report.verdict == Verdict::healthy, codes(report));
  REQUIRE(report.notes.size() == 4);
  CHECK(report.notes[2] ==
        "not known: 2 of pods passed over: shop-dev/deep cannot be read: nested deeper than 500 "
        "levels");
}
