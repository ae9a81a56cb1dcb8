#pragma once
#include <string>
#include <vector>

#include <kubist/util/text.hpp>

#include "support.hpp"

/// What an administrator makes for projects: executors, their account, the Root.
namespace it {

/// Definitions, and an account of kubist-system that may keep ConfigMaps in one namespace; gone
/// with it.
class Platform {
 public:
  explicit Platform(const World& world) : m_account(world.name("platform")) {
    put("home",
        {{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", k_namespace}}}},
         {{"apiVersion", "v1"},
          {"kind", "ServiceAccount"},
          {"metadata", {{"name", m_account}, {"namespace", k_namespace}}}}});
  }
  ~Platform() {
    for (const std::string& name : m_names) {
      static_cast<void>(kubectl("home", {"delete", "executordefinitions.kubist.io", name,
                                         "--ignore-not-found", "--wait=false"}));
    }
    static_cast<void>(kubectl("home", {"delete", "serviceaccount", m_account, "-n", k_namespace,
                                       "--ignore-not-found", "--wait=false"}));
  }
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  void may_keep_maps(const std::string& ns) const {
    const Json rules =
        Json::array({{{"apiGroups", {""}},
                      {"resources", {"configmaps"}},
                      {"verbs", {"get", "list", "watch", "create", "patch", "delete"}}}});
    put("home", granted(ns, m_account, rules, k_namespace, m_account));
  }
  void define(const std::string& name, const std::string& source, Json more) {
    m_names.push_back(name);
    more["runtime"] = {{"jsonnet", {{"source", source}}}};
    put("home", {object("ExecutorDefinition", "", name, std::move(more))});
  }
  const std::string& account() const { return m_account; }
  std::string user() const {
    return kubist::util::cat("system:serviceaccount:", k_namespace, ':', m_account);
  }

 private:
  static constexpr const char* k_namespace = "kubist-system";
  std::string m_account;
  std::vector<std::string> m_names;
};

/// A Root of the test's own; without an executor at its end, so that it goes at once.
class OwnRoot {
 public:
  OwnRoot() = default;
  ~OwnRoot() {
    put("home", {object("Root", "", "root", Json::object())});
    static_cast<void>(run_kubist({"reconcile", "Root/root", "--timeout=60s"}));
    static_cast<void>(kubectl("home", {"patch", "kroot", "root", "--type=merge", "-p",
                                       R"({"metadata":{"finalizers":null}})"}));
    static_cast<void>(kubectl("home", {"delete", "kroot", "root", "--ignore-not-found"}));
  }
  OwnRoot(const OwnRoot&) = delete;
  OwnRoot& operator=(const OwnRoot&) = delete;
};

}  // namespace it
