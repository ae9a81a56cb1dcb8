#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/served.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

std::optional<ServedKind> served_kind(const data::Json& definition) {
  const ObjectView view(definition);
  const std::string version(data::string_at(definition, {"spec", "serves", "apiVersion"}));
  if (view.kind() != "ExecutorDefinition" || version.empty()) {
    return std::nullopt;
  }
  return ServedKind{version, std::string(group_of(version)),
                    std::string(data::string_at(definition, {"spec", "serves", "kind"})),
                    std::string(view.name())};
}

util::Result<> check_served(const ServedKind& served) {
  const bool own = std::any_of(kinds().begin(), kinds().end(), [&](const Kind& kind) {
    return kind.name == served.kind || kind.group == served.group;
  });
  return own ? util::fail(
                   util::ErrorKind::invalid,
                   util::cat("ExecutorDefinition/", served.by, " serves ", served.kind, '.',
                             served.group, ", which has the name or the group of kubist's kinds"),
                   "Serve a kind of another name, in another group.")
             : util::Result<>{};
}

std::string qualified_kind(const ObjectRef& ref) {
  return find_kind(ref.group, ref.kind) != nullptr ? ref.kind : util::cat(ref.kind, '.', ref.group);
}

std::pair<std::string, std::string> read_qualified_kind(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    return {std::string(name.substr(dot + 1)), std::string(name.substr(0, dot))};
  }
  for (const Kind& kind : kinds()) {
    if (kind.name == name) {
      return {std::string(kind.group), std::string(name)};
    }
  }
  return {std::string(k_kubist_group), std::string(name)};
}

}  // namespace kubist::resources
