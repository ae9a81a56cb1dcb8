#pragma once
#include <string>
#include <string_view>

#include "keep/managed.hpp"
#include "keep/namespace_object.hpp"

namespace kubist::executors {

/// On a namespace that was adopted: its next owner of the same name did not make it either.
inline constexpr std::string_view k_adopted_annotation = "kubist.io/adopted";

struct NamespaceFact {
  data::Json live;
  bool adopted = false;  ///< it existed before
  bool made = false;     ///< just now, so that there is next to nothing in it
  data::Json inventory;  ///< status.inventory with its entry
};

/// On the home cluster what belongs to project namespace `project_ns` lies in what its Project
/// grants, never in a system namespace or another project's. Invalid, reason NamespaceNotAllowed.
util::Result<> check_home_namespace(const engine::Graph& graph, const std::string& project_ns,
                                    const std::string& ns);

/// Does the Project (null: none) name that namespace of the home cluster in spec.home.namespaces,
/// without a star? That is its word for what a pattern must not give over what somebody else made:
/// its deletion with its owner, and the project's rights there.
bool names_exactly(const engine::Node* project, const std::string& ns);

/// Makes or adopts it and keeps labels and annotations. The inventory has its entry before the
/// namespace is made. Invalid: NamespaceExists (adopt is off), NamespaceTaken (somebody else's),
/// DeletionNotAllowed (adopted, and deletionPolicy Delete, which wish.delete_adopted denies); what
/// wish.check_adoption says; not_found: NamespaceNotFound (create is off); unavailable:
/// NamespaceTerminating, which ends by itself (managed.hpp: looked at again within the run, until
/// it can be made again).
util::Result<NamespaceFact> keep_namespace(Work& work, const kube::Target& target,
                                           const NamespaceWish& wish);

/// Deletes it where kubist made it (or deletionPolicy says Delete), lets go of it where it was
/// adopted (or deletionPolicy says Orphan). Running until it is gone. Invalid: DeletionNotAllowed,
/// as keep_namespace().
util::Result<engine::Removal> remove_namespace(Work& work, const kube::Target& target,
                                               const std::string& name, bool delete_adopted = true);

}  // namespace kubist::executors
