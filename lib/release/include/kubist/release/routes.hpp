#pragma once
#include <optional>
#include <string>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/release/loop.hpp>
#include <kubist/traffic/override.hpp>

namespace kubist::release {

/// How a route's status.override names a release or an experiment: "CanaryRelease/NAME".
std::string owner_of(const engine::Node& release);
/// Is the route Ready in its present generation? Else `message` is why not, where it says so.
bool is_settled(const engine::Node& route, std::string& message);
/// A hash of its spec.routes; empty: it has none.
std::string hash_of(const engine::Node& route);

/// The kind and name of a release's route.
engine::Key route_key(const engine::Node& release, const std::string& route);

/// The routes that a CanaryRelease or an Experiment names; none of any other node.
std::vector<engine::Key> routes_of(const engine::Node& release);

/// The virtual clusters on which a release moves weights: its own, else those of its routes,
/// sorted.
std::vector<std::string> targets_of(const engine::Graph& graph, const engine::Node& release);

/// Invalid, reason RouteOnMany: a release of one virtual cluster names a route that is kept on
/// many.
util::Result<> check_one_target(const engine::Graph& graph, const engine::Node& release,
                                const std::vector<std::string>& routes);

/// The release's routes, each wherever it is kept, as the graph has them.
std::vector<Member> members_of(const engine::Graph& graph, const engine::Node& release,
                               const std::vector<std::string>& routes, const Progress& progress);

/// status.members after a step: a hash of each route's spec.routes as it was when its weights were
/// first moved, or when a person resumed the release (`resumed`): other rules later are an edit.
/// Null: they are not moved.
data::Json members_after(const engine::Graph& graph, const engine::Node& release, const Plan& plan,
                         const Progress& before, const Progress& after, bool resumed);
/// Has the route's spec.routes the hash that status.members have of it?
bool is_unchanged(const engine::Graph& graph, const engine::Key& route, const data::Json& members);

/// What the release gives its routes; nothing: it leaves them as they are (Pending: their weights
/// are their own; Failed: nobody knows).
std::optional<traffic::Override> override_of(const engine::Graph& graph,
                                             const engine::Node& release, const Plan& plan,
                                             const Progress& progress);

/// For when its policies fail: what they did not agree to reaches no route. The route (null: there
/// is none) keeps what it has of `given`'s owner, at the percent that `given` says.
void keep_present(const engine::Node* route, traffic::Override& given);

}  // namespace kubist::release
