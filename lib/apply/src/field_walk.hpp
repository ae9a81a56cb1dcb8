#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/compare.hpp>
#include <kubist/data/json.hpp>

#include "normal_form.hpp"

namespace kubist::apply {

/// Walks an input along a fieldsV1 set (sigs.k8s.io/structured-merge-diff, fieldpath): both must
/// name the same fields, and each owned value must be the live one. No schema is needed: the set
/// itself tells lists with keys (k:), sets (v:) and whole values (a leaf) apart.
class FieldWalk {
 public:
  explicit FieldWalk(const CompareOptions& options) : m_options(options) {}

  /// `full` is the input with the defaults of its schema (or the input itself).
  Comparison run(const data::Json& fields, const data::Json& input, const data::Json& full,
                 const data::Json& live);

 private:
  enum class Level { root, metadata, inner };
  struct Node {
    const data::Json* fields;
    const data::Json* input;
    const data::Json* full;
    const data::Json* live;  ///< null: absent
  };

  bool walk(const Node& node, std::string_view key, ValuePlace place, Level level);
  bool walk_map(const Node& node, ValuePlace place, Level level);
  bool walk_list(const Node& node, std::string_view key, ValuePlace place);
  bool walk_untraced(const std::string& key, const data::Json& input, const data::Json* live,
                     Level level);
  bool walk_string_data(const data::Json& fields, const data::Json& input, const data::Json& live);
  bool ignored(std::string_view key, Level level) const;
  bool granular_elsewhere() const;
  bool note(Verdict verdict, std::string_view what);

  const CompareOptions& m_options;
  Comparison m_result{Verdict::unchanged, {}};
  const data::Json* m_entries = nullptr;  ///< all managedFields of the live object
  std::string m_path;                     ///< where the walk is, as a JSON pointer
  std::vector<std::string_view> m_steps;  ///< and as keys of the set
  bool m_secret = false;
};

}  // namespace kubist::apply
