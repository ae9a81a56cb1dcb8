#include <fstream>

#include <doctest/doctest.h>

#include <kubist/istio/bundle.hpp>
#include <kubist/state/archive.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

using namespace kubist::istio;
namespace util = kubist::util;

namespace {

// The least that is taken for a whole installation.
const std::string k_manifests = R"(apiVersion: v1
kind: ServiceAccount
metadata: {name: istiod, namespace: istio-system}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: istio, namespace: istio-system}
---
apiVersion: v1
kind: Service
metadata: {name: istiod, namespace: istio-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: istiod-clusterrole-istio-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: istiod-clusterrole-istio-system}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: istiod, namespace: istio-system, labels: {app: istiod, istio.io/rev: default}}
spec:
  template:
    spec:
      containers:
      - {name: discovery, image: "localhost/istio/pilot:1.31.0"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: istio-sidecar-injector}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: istio-validator-istio-system}
)";

// What is wrong, with its place.
std::string problem(const std::string& text, const Expected& expected = {}) {
  const auto bundle = read_bundle({"istio.yaml", "", {}, text}, expected);
  return bundle ? std::string() : bundle.error().to_string();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("bundle: a whole one says its version, revision and namespace") {
  const auto bundle = read_bundle({"istio.yaml", "", {}, k_manifests}, {"1.31.0", "default"});
  REQUIRE_MESSAGE(bundle, bundle.error().to_string());
  CHECK(bundle->version == "1.31.0");
  CHECK(bundle->revision == "default");
  CHECK(bundle->ns == "istio-system");
  CHECK(bundle->manifests.size() == 8);
  CHECK(bundle->sha256 == util::sha256_hex(k_manifests));
}

TEST_CASE("bundle: what is no installation of Istio is refused with its place") {
  const std::string more = k_manifests + "---\n";
  const std::string foreign =
      problem(more + "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x, namespace: other}\n");
  CHECK_MESSAGE(contains(foreign, "istio.yaml:39:7: Job/x is no part of an installation of Istio"),
                foreign);
  CHECK(contains(
      problem(more + "apiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: other}\n"),
      "Secret/x"));
  CHECK(contains(
      problem(more + "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
                     "metadata: {name: clusters.kubist.io}\n"),
      "clusters.kubist.io is not one of Istio's"));
  CHECK(contains(
      problem(more +
              "apiVersion: v1\nkind: Service\nmetadata: {name: istiod, namespace: istio-system}\n"),
      "Service/istio-system/istiod is there twice"));
  CHECK(contains(
      problem(more +
              "apiVersion: apps/v1\nkind: Deployment\n"
              "metadata: {name: istiod-canary, namespace: istio-system, labels: {app: istiod}}\n"),
      "a second istiod"));
  CHECK(contains(problem(k_manifests, {"1.30.3", ""}),
                 ": these are the manifests of Istio 1.31.0, not of 1.30.3"));
  CHECK(contains(problem(k_manifests, {"", "canary"}), "revision default, not of canary"));
  CHECK(contains(problem(util::replace_all(k_manifests, ":1.31.0", ":mine"), {"1.31.0", ""}),
                 "unknown version"));
}

TEST_CASE("bundle: a cut one is refused wherever it was cut") {
  // Between documents YAML is whole; within one it may be. No cut may pass.
  for (std::size_t size = 0; size + 2 < k_manifests.size(); size += 7) {
    CAPTURE(size);
    CHECK(problem(k_manifests.substr(0, size)) != "");
  }
  CHECK(contains(problem(util::replace_all(k_manifests, "kind: ServiceAccount", "kind: ConfigMap")),
                 "no ServiceAccount/istiod"));
  CHECK(contains(problem(std::string(k_max_bundle_bytes + 1, 'x')),
                 "istio.yaml has more than 32 MB of manifests: that is no installation of Istio"));
}

TEST_CASE("bundle: a file or folder must have the sha256 that is given") {
  const util::TempDir folder("istio-bundle");
  const auto file = folder.path() / "all.yaml";
  std::ofstream(file) << k_manifests;
  const std::string sha256 = util::sha256_hex(k_manifests);
  CHECK(read_bundle({file, sha256}));
  const auto wrong = read_bundle({file, std::string(64, '0')});
  REQUIRE_FALSE(wrong);
  CHECK_MESSAGE(contains(wrong.error().message, "has the SHA-256 " + sha256),
                wrong.error().message);

  // A folder: as `sha256sum *.yaml | sha256sum` says.
  std::ofstream(folder.path() / "README.md") << "no manifest";
  const auto whole = read_bundle({folder.path(), ""});
  REQUIRE_MESSAGE(whole, whole.error().to_string());
  CHECK(whole->sha256 == util::sha256_hex(sha256 + "  all.yaml\n"));
  std::ofstream(folder.path() / "more.yaml")
      << "apiVersion: v1\nkind: Namespace\nmetadata: {name: istio-system}\n";
  CHECK(read_bundle({folder.path(), ""}).value().sha256 != whole->sha256);
  CHECK_FALSE(read_bundle({folder.path() / "nothing.yaml", ""}));
}

TEST_CASE("bundle: an archive's manifests, from all of its folders") {
  const util::TempDir folder("istio-bundle");
  std::filesystem::create_directories(folder.path() / "in" / "istio");
  std::ofstream(folder.path() / "in" / "istio" / "all.yaml") << k_manifests;
  std::ofstream(folder.path() / "in" / "README.md") << "no manifest";
  const std::string bytes =
      kubist::state::pack(folder.path() / "in", std::size_t{1} << 20U).value();
  const auto file = folder.path() / "istio.tar.gz";
  std::ofstream(file, std::ios::binary) << bytes;
  const std::string sha256 = util::sha256_hex(bytes);
  const auto whole = read_bundle({file, sha256});
  REQUIRE_MESSAGE(whole, whole.error().to_string());
  CHECK(whole->version == "1.31.0");
  CHECK(whole->sha256 == sha256);
  CHECK_FALSE(read_bundle({file, util::sha256_hex("other")}));
  // In memory, where the location is only a name.
  CHECK(read_bundle({"ConfigMap/istio", sha256, {}, bytes}).value().sha256 == sha256);
  CHECK_FALSE(read_bundle({"ConfigMap/istio", util::sha256_hex("other"), {}, bytes}));

  std::ofstream(file, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  const auto cut = read_bundle({file, ""});
  REQUIRE_FALSE(cut);
  CHECK_MESSAGE(contains(cut.error().to_string(), "istio.tar.gz"), cut.error().to_string());

  // 60 MB of nothing are some 60 KB packed.
  const auto large = folder.path() / "large";
  std::filesystem::create_directories(large);
  std::ofstream(large / "all.yaml").close();
  std::filesystem::resize_file(large / "all.yaml", std::size_t{60} << 20U);
  std::ofstream(file, std::ios::binary)
      << kubist::state::pack(large, std::size_t{1} << 20U).value();
  CHECK_FALSE(read_bundle({file, ""}));
}

TEST_CASE("bundle: a URL is read only with a sha256, and held to it") {
  const std::string url = "https://example.com/istio.yaml";
  int fetched = 0;
  const auto fetch = [&](const std::string& asked) -> util::Result<std::string> {
    CHECK(asked == url);
    ++fetched;
    return k_manifests;
  };
  const auto without = read_bundle({url, "", fetch});
  REQUIRE_FALSE(without);
  CHECK(contains(without.error().message, "give its SHA-256"));
  CHECK(fetched == 0);
  const auto whole = read_bundle({url, util::sha256_hex(k_manifests), fetch});
  REQUIRE_MESSAGE(whole, whole.error().to_string());
  CHECK(whole->ns == "istio-system");
  const auto wrong = read_bundle({url, util::sha256_hex("other"), fetch});
  REQUIRE_FALSE(wrong);
  CHECK(contains(wrong.error().message, "has the SHA-256"));
  CHECK_FALSE(read_bundle({url, util::sha256_hex(k_manifests), {}}));
}

TEST_CASE("bundle: a source of 60 MB is refused before it is read") {
  const util::TempDir folder("istio-bundle");
  const auto file = folder.path() / "large.yaml";
  std::ofstream(file).close();
  std::filesystem::resize_file(file, std::size_t{60} << 20U);  // sparse
  const auto bundle = read_bundle({file, ""});
  REQUIRE_FALSE(bundle);
  CHECK(contains(bundle.error().message, "more than 32 MB"));
}

TEST_CASE("bundle: what istiod writes is not applied again") {
  using kubist::data::Json;
  const auto config = [](const Json& webhook) {
    return Json{{"kind", "ValidatingWebhookConfiguration"}, {"webhooks", Json::array({webhook})}};
  };
  const Json open{{"name", "a"},
                  {"failurePolicy", "Ignore"},
                  {"clientConfig", {{"caBundle", "x"}, {"url", "y"}}}};
  const Json kept{{"name", "a"}, {"failurePolicy", "Ignore"}, {"clientConfig", {{"url", "y"}}}};
  const Json left{{"name", "a"}, {"clientConfig", {{"url", "y"}}}};
  Json closed = open;
  closed["failurePolicy"] = "Fail";
  WebhookConfig live;
  live.webhooks.resize(1);
  live.webhooks[0].name = "a";
  live.webhooks[0].fail_closed = false;
  // Made open, for istiod to close; never opened again.
  CHECK(without_istiod_fields(config(open), nullptr) == config(kept));
  CHECK(without_istiod_fields(config(open), &live) == config(kept));
  live.webhooks[0].fail_closed = true;
  CHECK(without_istiod_fields(config(open), &live) == config(left));
  // Fail is the default: who leaves it out does not own it.
  CHECK(without_istiod_fields(config(closed), nullptr) == config(left));
  // Certificates of others are not istiod's.
  CHECK(without_istiod_fields(config(open), nullptr, true) == config(open));
  const Json other{{"kind", "ConfigMap"}, {"webhooks", Json::array({open})}};
  CHECK(without_istiod_fields(other, nullptr) == other);
  const Json odd{{"kind", "MutatingWebhookConfiguration"}, {"webhooks", 3}};
  CHECK(without_istiod_fields(odd, nullptr) == odd);
}
