#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kubist/util/text.hpp>

#include "hostile_attempts.hpp"

/// The cluster that a hostile member finds: its project, another one, and what must stay as it is.
namespace it::hostile {

inline constexpr const char* k_rbac_group = "rbac.authorization.k8s.io";

/// The names of one world.
struct Names {
  explicit Names(const World& world)
      : project(world.name("bad")), other(world.name("good")), people(world.name("people")) {}
  std::string project, other, people;
  std::string dev() const { return project + "-dev"; }
  std::string theirs() const { return project + "-pool-theirs"; }
  std::string account() const { return account_of(project); }
  std::string other_account() const { return account_of(other); }
  static std::string account_of(const std::string& ns) {
    return kubist::util::cat("system:serviceaccount:", ns, ":kubist-project");
  }
  std::string put_in(std::string text) const {
    for (const auto& [word, name] :
         {std::pair{"PROJECT", project}, std::pair{"DEV", dev()}, std::pair{"OTHER", other}}) {
      text = kubist::util::replace_all(text, word, name);
    }
    return text;
  }
};

/// All attempts, with these names in their texts.
std::vector<Attempt> attempts(const Names& names, bool with_rights_of_the_server);

/// The type of one of kubist's kinds, or of DeployItem: "clusters.kubist.io".
std::string type_of(const std::string& kind);

/// One of kubist's kinds, or a DeployItem.
Json node_object(const std::string& kind, const std::string& ns, const std::string& name,
                 Json spec);

/// What is there before, and is not the member's: all of it must stay as it is.
std::vector<Json> bystanders(const Names& names);
/// These objects, and the system's namespaces, as they are.
std::vector<Json> live(const std::vector<Json>& objects);

/// The two projects, and what else is in the cluster.
void prepare(World& world, const Names& names);

/// A client as somebody who may write kubist's objects in the project's namespace, and no more.
std::shared_ptr<kubist::kube::Client> member(const Names& names);
/// The API server's answer to that object; "" where it takes it.
std::string create_as(kubist::kube::Client& who, const Json& object);
/// All that the member writes; `between` is called when its tools are there, before the attempts.
void write_all(
    kubist::kube::Client& who, const std::vector<Attempt>& all, const Names& names,
    const std::function<void()>& between = [] {});

}  // namespace it::hostile
