#pragma once
#include <optional>
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/result.hpp>

namespace kubist::resources {

/// A kind that is none of kubist's own, whose objects are nodes of the tree because an
/// ExecutorDefinition serves it.
struct ServedKind {
  std::string api_version;  ///< "example.com/v1"
  std::string group, kind;
  std::string by;  ///< the name of the definition
};

/// What spec.serves of an ExecutorDefinition says; nothing: it serves none, or the object is no
/// ExecutorDefinition.
std::optional<ServedKind> served_kind(const data::Json& definition);

/// Nodes are told apart by the names of their kinds: none that is served has the name or the group
/// of one of kubist's own. Invalid: it has.
util::Result<> check_served(const ServedKind& served);

/// A kind as names of kubist's own have it: "Destination", and of other groups "Kind.group".
std::string qualified_kind(const ObjectRef& ref);
/// The opposite: group and kind of such a name.
std::pair<std::string, std::string> read_qualified_kind(std::string_view name);

}  // namespace kubist::resources
