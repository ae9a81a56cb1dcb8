#pragma once
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"
#include "support/paths.hpp"

/// Installing what istioctl printed, and looking at what became of it.
namespace istio_it {

using namespace it;
using kubist::util::cat;

inline constexpr const char* k_system = "istio-system";

inline std::string manifest() {
  const std::string path = kubist::util::environment("KUBIST_ISTIO_MANIFEST");
  REQUIRE_MESSAGE(!path.empty(), "run this through tests/cluster/lane");
  return path;
}

inline Words install(const Words& more = {}) {
  Words args{"istio", "install", manifest(), "--timeout", "300s"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

inline Words uninstall(const Words& more = {}) {
  Words args{"istio", "uninstall", "--timeout", "300s"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

inline Json istio_report() { return Json::parse(run_kubist({"istio", "check", "-o", "json"}).out); }
inline std::string verdict() { return istio_report().value("verdict", ""); }

/// `tests/cluster/cluster istio ACTION`.
inline void cluster_istio(const std::string& action) {
  kubist::util::Command command;
  command.args = {kubist::paths::source_dir() + "/tests/cluster/cluster", "istio", action};
  command.timeout = std::chrono::minutes(6);
  const auto result = kubist::util::run_command(command);
  REQUIRE(result);
  REQUIRE_MESSAGE(result->exit_code == 0, result->err);
}

/// What `cluster istio istioctl` loads.
inline constexpr const char* k_istioctl = "localhost/istio/istioctl:1.31.0";

inline void load_istioctl() {
  static const bool once = [] {
    cluster_istio("istioctl");
    return true;
  }();
  static_cast<void>(once);
}

// What istiod writes: name, failurePolicy and caBundle of every webhook.
inline std::string webhooks() {
  const Json all = Json::parse(
      must(kubectl("home", {"get", "validatingwebhookconfigurations,mutatingwebhookconfigurations",
                            "-l", "istio.io/rev", "-o", "json"})));
  std::string text;
  for (const Json& config : all["items"]) {
    for (const Json& webhook : config["webhooks"]) {
      text += cat(webhook.value("name", ""), ' ', webhook.value("failurePolicy", ""), ' ',
                  webhook["clientConfig"].value("caBundle", ""), '\n');
    }
  }
  return text;
}

inline bool exists(const std::string& type, const std::string& name, const std::string& ns = {}) {
  return get("home", type, name, ns).has_value();
}

// Installing takes long. So the cases, which run in the order of files and lines, mostly find what
// they need: cluster, diff and install_test go from nothing to an installation; kill_test takes it
// out and makes it again; move_test takes it out; render_test makes one; uninstall_test takes it
// out and leaves somebody else's to verdict_test. But no case relies on that: each asks for what it
// needs, and these change what is something else.

inline void ensure_absent() {
  if (verdict() != "absent") {
    cluster_istio("down");
    REQUIRE(verdict() == "absent");
  }
}

/// Does Istio work, and is it kubist's? It may lack the gateway.
inline bool installed_by_kubist() {
  return istio_report().value("ready", false) && exists("configmap", "kubist-istio", k_system);
}

/// The whole of manifest(), by kubist.
inline void ensure_installed() {
  if (!installed_by_kubist()) {
    ensure_absent();
  }
  must(run_kubist(install()));
}

/// The manifests with some objects changed (or, where it returns false, left out) and others added,
/// as a file in that folder.
inline std::string changed_manifest(const kubist::util::TempDir& folder,
                                    const std::function<bool(Json& object)>& change,
                                    const std::vector<Json>& more = {}) {
  const auto text = kubist::util::read_file(manifest());
  REQUIRE(text);
  auto documents = kubist::data::read_documents(*text, manifest());
  REQUIRE(documents);
  std::string all;
  for (auto& document : *documents) {
    if (document.value.is_object() && change(document.value)) {
      all += cat("---\n", document.value.dump(), '\n');
    }
  }
  for (const Json& object : more) {
    all += cat("---\n", object.dump(), '\n');
  }
  static int number = 0;
  const auto path = folder.path() / cat("changed-", ++number, ".yaml");
  REQUIRE(kubist::util::write_file(path, all));
  return path;
}

}  // namespace istio_it
