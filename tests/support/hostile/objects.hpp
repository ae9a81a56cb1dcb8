#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/resources/kinds.hpp>

#include "chance.hpp"

namespace kubist::testing {

/// Makes objects as an enemy of kubist's would: every field that the schema of their kind has, or
/// not; what is free in them is what parsers hate (values.hpp). Most hold to their schema, as the
/// API server wants it: the others stand for what it let in under an older schema, or somebody
/// else's.
class HostileObjects {
 public:
  explicit HostileObjects(std::uint32_t seed) : m_chance(seed) {}

  /// One of that kind, with metadata and status; in no namespace where the kind is in none.
  /// `others`: what it may refer to, as "Kind/name".
  data::Json make(const resources::Kind& kind, const std::string& ns, const std::string& name,
                  const std::vector<std::string>& others);

 private:
  using Path = std::vector<std::string>;
  static constexpr int k_tries = 30;

  /// What a schema wants. `path`: the names of the fields so far.
  data::Json value(const data::Json& schema, Path& path);
  data::Json object(const data::Json& schema, Path& path);
  data::Json list(const data::Json& schema, Path& path);
  data::Json text(const data::Json& schema, const Path& path);
  data::Json number(const data::Json& schema);
  data::Json free(const Path& path);
  data::Json field(const data::Json& schema, Path& path, const std::string& key);

  /// What a policy or a loop may have written of itself, and now has another sense.
  data::Json remembered();
  /// Gives each policy of the spec a state in the status.
  void remember_policies(const data::Json& spec, data::Json& status);

  /// The last names but `back`, but those of list items.
  static std::string_view from_end(const Path& path, std::size_t back);
  /// A name that leads somewhere where the field refers to something; "" where it does not.
  std::string reference(const Path& path);
  /// Parameters by the schema of the policy of that name.
  data::Json parameters(const std::string& policy, Path& path);
  data::Json spec(const resources::Kind& kind, const data::Json& schema);
  data::Json item_config(const std::string& type, Path& path);
  data::Json metadata(const resources::Kind& kind, const std::string& ns, const std::string& name);

  /// Does it break the schema here?
  bool slips() { return m_careless && m_chance.one_in(12); }
  /// A pattern, and the plausible texts that fit it.
  struct Pattern {
    std::regex wanted;
    std::vector<std::string> fitting;
  };
  const Pattern& pattern(const std::string& text);

  Chance m_chance;
  bool m_careless = false;     ///< the object that is being made breaks its schema in places
  std::size_t m_density = 30;  ///< of its optional fields, in percent
  std::vector<std::string> m_others;
  std::map<std::string, Pattern> m_patterns;
};

}  // namespace kubist::testing
