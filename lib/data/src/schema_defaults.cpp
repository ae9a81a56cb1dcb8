#include <kubist/data/pointer.hpp>

#include "schema_impl.hpp"

namespace kubist::data {
namespace {

/// As the API server: a default stands for a missing field, and for a null that may not be.
void fill_in(const SchemaNode& node, Json& value, std::size_t depth = 0) {
  constexpr std::size_t k_max_default_depth = 500;  // a recursive schema may default without end
  if (depth > k_max_default_depth) {
    return;
  }
  if (value.is_object()) {
    for (const auto& [name, property] : node.properties) {
      if (!property->default_value) {
        continue;
      }
      const auto found = value.find(name);
      if (found == value.end() || (found->is_null() && !property->nullable)) {
        value[name] = *property->default_value;
      }
    }
    for (auto& [name, member] : value.get_ref<Json::object_t&>()) {
      const auto known = node.properties.find(name);
      const SchemaNode* schema = known != node.properties.end() ? known->second : node.additional;
      if (schema != nullptr) {
        if (member.is_null() && !schema->nullable && schema->default_value) {
          member = *schema->default_value;
        }
        fill_in(*schema, member, depth + 1);
      }
    }
  } else if (value.is_array() && node.items != nullptr) {
    for (Json& item : value) {
      if (item.is_null() && !node.items->nullable && node.items->default_value) {
        item = *node.items->default_value;
      }
      fill_in(*node.items, item, depth + 1);
    }
  }
  for (const SchemaNode* each : node.all_of) {
    fill_in(*each, value, depth + 1);
  }
}

class Pruner {
 public:
  std::vector<std::string> run(const SchemaNode& root, Json& value) {
    prune(root, value);
    return std::move(m_removed);
  }

 private:
  static const SchemaNode* property(const SchemaNode& node, const std::string& name) {
    if (const auto known = node.properties.find(name); known != node.properties.end()) {
      return known->second;
    }
    if (node.additional != nullptr) {
      return node.additional;
    }
    for (const SchemaNode* each : node.all_of) {
      if (const SchemaNode* found = property(*each, name)) {
        return found;
      }
    }
    return nullptr;
  }

  static bool keeps_unknown(const SchemaNode& node) {
    return node.open() || std::any_of(node.all_of.begin(), node.all_of.end(),
                                      [](const SchemaNode* each) { return keeps_unknown(*each); });
  }

  void prune(const SchemaNode& node, Json& value) {
    if (value.is_array() && node.items != nullptr) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        const std::size_t length = m_pointer.size();
        append_token(m_pointer, i);
        prune(*node.items, value[i]);
        m_pointer.resize(length);
      }
    } else if (value.is_object()) {
      prune_map(node, value);
    }
  }

  void prune_map(const SchemaNode& node, Json& value) {
    auto& members = value.get_ref<Json::object_t&>();
    for (auto member = members.begin(); member != members.end();) {
      const std::size_t length = m_pointer.size();
      append_token(m_pointer, std::string_view(member->first));
      const bool object_field =
          is_object_field(member->first) && (length == 0 || node.embedded_resource);
      if (const SchemaNode* schema = property(node, member->first)) {
        prune(*schema, member->second);
        ++member;
      } else if (keeps_unknown(node) || object_field) {
        ++member;
      } else {
        m_removed.push_back(m_pointer);
        member = members.erase(member);
      }
      m_pointer.resize(length);
    }
  }

  std::string m_pointer;
  std::vector<std::string> m_removed;
};

}  // namespace

void Schema::apply_defaults(Json& value) const { fill_in(root(), value); }

std::vector<std::string> Schema::prune(Json& value) const { return Pruner().run(root(), value); }

}  // namespace kubist::data
