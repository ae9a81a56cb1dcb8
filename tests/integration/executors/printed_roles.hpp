#pragma once
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"
#include "support/paths.hpp"

/// What `kubist init --print-rbac` prints, against what the audit log says was made use of.
namespace it::roles {

using kubist::util::cat;
namespace data = kubist::data;

/// One thing that a role allows, or that somebody did.
struct Right {
  std::string ns;  ///< empty: cluster-wide
  std::string group, resource, verb;
  std::string name;  ///< empty: any
  auto operator<=>(const Right&) const = default;
  std::string to_string() const {
    return cat(ns.empty() ? "cluster" : ns, ": ", verb, ' ', resource, '.', group, ' ', name);
  }
};

/// The rights of the printed roles.
inline std::vector<Right> rights_of(const std::vector<Json>& objects) {
  std::vector<Right> rights;
  for (const Json& object : objects) {
    const std::string kind(data::string_at(object, {"kind"}));
    if (kind != "Role" && kind != "ClusterRole") {
      continue;
    }
    const std::string ns(data::string_at(object, {"metadata", "namespace"}));
    for (const Json& rule : object["rules"]) {
      for (const Json& resource : rule["resources"]) {
        for (const Json& verb : rule["verbs"]) {
          for (const Json& name : rule.value("resourceNames", Json::array({""}))) {
            rights.push_back({ns, rule["apiGroups"][0], resource, verb, name});
          }
        }
      }
    }
  }
  return rights;
}

/// What a finished request made use of: of an impersonated account's rights, that to impersonate.
/// Server-side apply of something new also takes `create`.
inline std::vector<Right> used_by(const Json& event) {
  const auto part = [&](std::string_view name) {
    return std::string(data::string_at(event, {"objectRef", name}));
  };
  const std::string sub = part("subresource");
  const std::string resource = part("resource") + (sub.empty() ? "" : "/" + sub);
  const std::string ns = part("resource") == "namespaces" ? "" : part("namespace");
  const auto as = data::string_at(event, {"impersonatedUser", "username"});
  if (as.starts_with("system:serviceaccount:")) {
    const auto words = kubist::util::split(as, ':');
    REQUIRE(words.size() == 4);
    return {{words[2], "", "serviceaccounts", "impersonate", words[3]}};
  }
  Right right{ns, part("apiGroup"), resource, std::string(data::string_at(event, {"verb"})),
              part("name")};
  std::vector<Right> all{right};
  if (right.verb == "patch" && data::int_at(event, {"responseStatus", "code"}) == 201) {
    right.verb = "create";
    all.push_back(right);
  }
  return all;
}

inline bool covers(const Right& printed, const Right& used) {
  return (printed.ns.empty() || printed.ns == used.ns) && printed.group == used.group &&
         (printed.resource == "*" || printed.resource == used.resource) &&
         printed.verb == used.verb && (printed.name.empty() || printed.name == used.name);
}

inline std::vector<Json> documents(const std::string& yaml) {
  const auto read = data::read_documents(yaml, "roles");
  REQUIRE_MESSAGE(read, (read ? "" : read.error().to_string()));
  std::vector<Json> all;
  for (const data::Document& document : *read) {
    all.push_back(document.value);
  }
  return all;
}

/// A right that a test does not make use of, and why it is printed nevertheless.
struct Unused {
  Right right;  ///< namespace and name are not compared
  std::string why;
  std::string file = {}, test = {};  ///< the case that shows it, where another file has it
  /// Is that case there?
  bool is_shown() const {
    const auto text = kubist::util::read_file(kubist::paths::source_dir() + '/' + file);
    return file.empty() || (text && text->find(cat('"', test, '"')) != std::string::npos);
  }
};

inline std::string what(const Json& event) {
  return cat(data::string_at(event, {"verb"}), ' ', data::string_at(event, {"requestURI"}), ": ",
             data::int_at(event, {"responseStatus", "code"}));
}

/// Nothing was refused but what `but` names by a part of its URI, and all of that was.
inline void check_none_refused(const std::vector<Json>& requests,
                               const std::vector<std::string>& but = {}) {
  CHECK(requests.size() > 5);
  std::set<std::string> refused;
  for (const Json& event : requests) {
    if (data::int_at(event, {"responseStatus", "code"}) == 403) {
      const auto named = std::find_if(but.begin(), but.end(), [&](const std::string& part) {
        return what(event).find(part) != std::string::npos;
      });
      CHECK_MESSAGE(named != but.end(), what(event));
      refused.insert(named == but.end() ? "" : *named);
    }
  }
  CHECK(refused.size() >= but.size());
}

/// Every printed right was used but those that `unused` explains, and these are printed and were
/// not.
inline void check_needed(const std::vector<Right>& printed, const std::vector<Json>& requests,
                         const std::vector<Unused>& unused) {
  std::set<Right> used;
  for (const Json& event : requests) {
    const auto code = data::int_at(event, {"responseStatus", "code"});
    const bool let_through = code < 400 || code == 404;  // who may not is not told what is there
    if (data::find_path(event, {"objectRef", "resource"}) != nullptr && let_through) {
      for (const Right& right : used_by(event)) {
        used.insert(right);
      }
    }
  }
  CHECK(printed.size() > 5);
  std::set<const Unused*> excuses;
  for (const Right& right : printed) {
    const bool needed =
        std::any_of(used.begin(), used.end(), [&](const Right& one) { return covers(right, one); });
    const auto excuse = std::find_if(unused.begin(), unused.end(), [&](const Unused& entry) {
      return entry.right.group == right.group && entry.right.verb == right.verb &&
             entry.right.resource == right.resource;
    });
    if (!needed && excuse != unused.end()) {
      excuses.insert(&*excuse);
    }
    CHECK_MESSAGE((needed || excuse != unused.end()),
                  "printed, but not needed: ", right.to_string());
  }
  for (const Unused& each : unused) {
    CHECK_MESSAGE(excuses.contains(&each),
                  "explained, but used or not printed: ", each.right.to_string(), ": ", each.why);
    CHECK_MESSAGE(each.is_shown(), each.file, " has no test case ", each.test);
  }
}

/// What executors/printed_roles_test.cpp shows, which needs no pod: all of traffic, and reading by
/// name and watching of kubist's kinds. The rest is e2e/rights_test.cpp's.
inline bool needs_no_pod(const Right& right) {
  static const std::set<std::string> kinds{"approvals",     "canaryreleases", "destinations",
                                           "entrygateways", "experiments",    "externalservices",
                                           "trafficroutes"};
  const std::string kind = right.resource.substr(0, right.resource.find('/'));
  const bool reads = right.verb == "get" || right.verb == "watch";
  return (right.group == "kubist.io" && (reads || kinds.contains(kind))) ||
         (kind == "deployitems" && right.verb == "watch");
}

/// An account with the printed roles of a project, and a token of it; gone with this.
class Account {
 public:
  /// `more`: further options of --print-rbac.
  Account(const std::string& project, const Words& home_namespaces, const Words& more = {})
      : m_ns(project + "-account"), m_user(cat("system:serviceaccount:", m_ns, ":kubist")) {
    put("home", {kubist::testing::plain("Namespace", "", m_ns),
                 kubist::testing::plain("ServiceAccount", m_ns, "kubist")});
    const std::string token(
        kubist::util::trim(must(kubectl("home", {"create", "token", "kubist", "-n", m_ns}))));
    m_config = m_folder.path() / "kubeconfig";
    REQUIRE(kubist::util::write_file(m_config, token_config("home", token).dump()));
    add(project, home_namespaces, more);
  }
  ~Account() {
    for (const std::string& role : m_roles) {
      kubectl("home", {"delete", "clusterrole,clusterrolebinding", role, "--wait=false"});
    }
  }
  /// The roles of one project more, with these namespaces on the home cluster, which are made, but
  /// for those that kubist is to create.
  void add(const std::string& project, const Words& home_namespaces, const Words& more = {}) {
    m_roles.push_back("kubist-project-" + project);
    if (std::find(more.begin(), more.end(), "--create-namespaces") == more.end()) {
      for (const std::string& ns : home_namespaces) {
        put("home", {kubist::testing::plain("Namespace", "", ns)});
      }
    }
    const std::vector<Json> printed = print(project, home_namespaces, more);
    put("home", printed);
    const std::vector<Right> rights = rights_of(printed);
    m_rights.insert(m_rights.end(), rights.begin(), rights.end());
  }
  /// What `init --print-rbac` prints for this account, without what `init` itself needs.
  std::vector<Json> print(const std::string& project, const Words& home_namespaces,
                          const Words& more = {}) const {
    Words words{"init", "--print-rbac", "-n", project, "--service-account", m_ns + "/kubist"};
    for (const std::string& ns : home_namespaces) {
      words.insert(words.end(), {"--home-namespace", ns});
    }
    words.insert(words.end(), more.begin(), more.end());
    std::vector<Json> printed = documents(must(run_kubist(words)));
    std::erase_if(printed,
                  [](const Json& role) { return role["metadata"]["name"] == "kubist-init"; });
    return printed;
  }
  /// A right more than is printed, in one namespace: rules of a Role.
  void grant(const std::string& ns, const Json& rules) {
    put("home", granted(ns, "granted", rules, m_ns, "kubist"));
  }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;
  const std::string& user() const { return m_user; }
  Words as(Words args) const {
    args.insert(args.end(), {"--kubeconfig", m_config});
    return args;
  }
  CommandResult kubist(const Words& args, const std::string& input = {}) const {
    return run_kubist(as(args), input);
  }
  /// The printed rights.
  const std::vector<Right>& rights() const { return m_rights; }

 private:
  Words m_roles;     ///< of the cluster
  std::string m_ns;  ///< which the test's World takes away
  std::string m_user;
  kubist::util::TempDir m_folder{"account"};
  std::string m_config;
  std::vector<Right> m_rights;
};

}  // namespace it::roles
