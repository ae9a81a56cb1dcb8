#include <kubist/data/pointer.hpp>
#include <kubist/resources/rules.hpp>
#include <kubist/util/text.hpp>

#include "rule_twins.hpp"

namespace kubist::resources {

using data::Json;

namespace {

/// ".spec.namespace" (the only form of fieldPath in use) as a pointer below `pointer`.
std::string field_pointer(const std::string& pointer, const Json& rule) {
  std::string result = pointer;
  std::string_view path = data::string_at(rule, {"fieldPath"});
  if (path.empty()) {
    return result;
  }
  for (const std::string& key : util::split(path.substr(1), '.')) {
    data::append_token(result, key);
  }
  return result;
}

bool is_transition(const Json& rule) {
  return data::string_at(rule, {"rule"}).find("oldSelf") != std::string_view::npos;
}

/// Walks schema and value together; lists are not matched with their old items, as no rule of ours
/// compares those.
class Walker {
 public:
  explicit Walker(std::vector<RuleViolation>& found) : m_found(found) {}

  void walk(const Json& schema, const Json& value, const Json* old, const std::string& pointer) {
    check(schema, value, old, pointer);
    if (value.is_object()) {
      walk_object(schema, value, old, pointer);
    } else if (const Json* items = data::find_path(schema, {"items"}); items && value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        std::string below = pointer;
        data::append_token(below, i);
        walk(*items, value[i], nullptr, below);
      }
    }
  }

 private:
  void check(const Json& schema, const Json& value, const Json* old, const std::string& pointer) {
    const Json* rules = data::find_path(schema, {"x-kubernetes-validations"});
    // A value of another type is the schema's to complain about: no rule runs on it.
    bool typed = data::string_at(schema, {"type"}) != "object" || value.is_object();
    if (rules == nullptr || !typed) {
      return;
    }
    for (const Json& rule : *rules) {
      RuleTwin twin = find_rule_twin(data::string_at(rule, {"message"}));
      bool applies = twin != nullptr && (old != nullptr || !is_transition(rule));
      if (applies && !twin(value, old)) {
        m_found.push_back(
            {field_pointer(pointer, rule), std::string(data::string_at(rule, {"message"}))});
      }
    }
  }

  void walk_object(const Json& schema, const Json& value, const Json* old,
                   const std::string& pointer) {
    const Json* properties = data::find_path(schema, {"properties"});
    const Json* others = data::find_path(schema, {"additionalProperties"});
    for (const auto& [key, child] : value.items()) {
      const Json* below = properties == nullptr ? nullptr : data::find_path(*properties, {key});
      below = below == nullptr ? others : below;
      if (below == nullptr || !below->is_object()) {
        continue;
      }
      std::string path = pointer;
      data::append_token(path, key);
      walk(*below, child, old == nullptr ? nullptr : data::find_path(*old, {key}), path);
    }
  }

  std::vector<RuleViolation>& m_found;
};

void collect_without_twin(const Json& schema, std::vector<std::string>& found) {
  if (schema.is_array()) {
    for (const Json& item : schema) {
      collect_without_twin(item, found);
    }
  }
  if (!schema.is_object()) {
    return;
  }
  for (const auto& [key, value] : schema.items()) {
    if (key != "x-kubernetes-validations") {
      collect_without_twin(value, found);
      continue;
    }
    for (const Json& rule : value) {
      if (find_rule_twin(data::string_at(rule, {"message"})) == nullptr) {
        found.emplace_back(data::string_at(rule, {"rule"}));
      }
    }
  }
}

}  // namespace

std::vector<RuleViolation> check_rules(const Json& schema, const Json& value,
                                       const Json* old_value) {
  std::vector<RuleViolation> found;
  Walker(found).walk(schema, value, old_value, "");
  return found;
}

std::vector<std::string> rules_without_twin(const Json& schema) {
  std::vector<std::string> found;
  collect_without_twin(schema, found);
  return found;
}

}  // namespace kubist::resources
