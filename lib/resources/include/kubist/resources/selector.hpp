#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

/// Values and pure functions: any thread, as long as nobody changes what is read.
namespace kubist::resources {

/// One requirement of a label selector; all of a selector's must hold.
struct Requirement {
  enum class Operator { in, not_in, exists, does_not_exist, greater, less };
  std::string key;
  Operator op = Operator::exists;
  std::vector<std::string> values;  ///< sorted; one for greater and less, none for the exists pair
};

/// A parsed label selector, with the grammar and the meaning that kubectl's -l has. An empty one
/// selects everything.
class LabelSelector {
 public:
  /// "a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1". Invalid with the offending piece named.
  static util::Result<LabelSelector> parse(std::string_view text);
  /// {matchLabels, matchExpressions} of API objects.
  static util::Result<LabelSelector> from_json(const data::Json& selector);

  /// Does an object with these labels (a JSON map) match? `!=` and `notin` also match a missing
  /// key.
  bool matches(const data::Json& labels) const;
  bool empty() const { return m_requirements.empty(); }
  const std::vector<Requirement>& requirements() const { return m_requirements; }
  /// The form that the API server takes as labelSelector; parse() reads it back.
  std::string to_string() const;

 private:
  std::vector<Requirement> m_requirements;
};

/// Labels as a label selector: "app=web,version=v2".
std::string label_text(const data::Json& labels);

/// One term of a field selector.
struct FieldTerm {
  std::string path;
  std::string value;
  bool negated = false;
};

/// "metadata.name=x,status.phase!=Running" with `\,` `\=` `\\` escapes. Which fields are allowed is
/// the server's to say.
util::Result<std::vector<FieldTerm>> parse_field_selector(std::string_view text);
/// The form that the API server takes as fieldSelector.
std::string to_string(const std::vector<FieldTerm>& terms);

}  // namespace kubist::resources
