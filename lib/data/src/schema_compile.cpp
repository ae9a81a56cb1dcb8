#include <unordered_map>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "schema_impl.hpp"

namespace kubist::data {

using util::cat;
using util::ErrorKind;
using util::Result;

namespace {

constexpr std::size_t k_max_depth = 200;
constexpr std::size_t k_max_pattern = 10'000;
constexpr std::int64_t k_small_pattern = std::int64_t{32} << 10U;
constexpr std::int64_t k_all_patterns = std::int64_t{16} << 20U;

class Compiler {
 public:
  Compiler(Schema::Impl& impl, const Json& components) : m_impl(impl), m_components(components) {}

  Result<const SchemaNode*> compile(const Json& json, std::size_t depth) {
    if (json.is_boolean()) {
      SchemaNode& node = m_impl.nodes.emplace_back();
      node.preserve_unknown = true;
      if (!json.get<bool>()) {
        node.negated = &m_impl.nodes.emplace_back();
      }
      return &node;
    }
    if (!json.is_object()) {
      return error("a schema must be an object");
    }
    if (depth > k_max_depth) {
      return error("the schema is nested too deep");
    }
    if (const auto ref = json.find("$ref"); ref != json.end() && ref->is_string()) {
      return reference(ref->get_ref<const std::string&>(), depth);
    }
    // OpenAPI v3 of the API server wraps a single reference to give it a default or a description.
    SchemaNode& node = m_impl.nodes.emplace_back();
    KUBIST_CHECK(fill(node, json, depth));
    return &node;
  }

 private:
  tl::unexpected<util::Error> error(std::string_view message) const {
    return util::fail(ErrorKind::invalid,
                      cat("schema at ", m_path.empty() ? "the root" : m_path, ": ", message));
  }

  template <class Action>
  auto inside(std::string_view token, Action action) {
    const std::size_t length = m_path.size();
    append_token(m_path, token);
    auto result = action();
    if (result) {
      m_path.resize(length);
    }
    return result;
  }

  Result<const SchemaNode*> reference(const std::string& ref, std::size_t depth) {
    if (const auto done = m_references.find(ref); done != m_references.end()) {
      return done->second;
    }
    const std::size_t slash = ref.rfind('/');
    const std::string name = slash == ref.npos ? ref : ref.substr(slash + 1);
    const auto found = m_components.is_object() ? m_components.find(name) : m_components.end();
    if (!m_components.is_object() || found == m_components.end() || !found->is_object()) {
      return error(cat("$ref \"", ref, "\" is not among the components"));
    }
    SchemaNode& node = m_impl.nodes.emplace_back();
    node.ref_name = name;
    m_references.emplace(ref, &node);  // before its fields: it may refer to itself
    if (const auto again = found->find("$ref"); again != found->end()) {
      return error(cat("$ref \"", ref, "\" is only another $ref"));
    }
    KUBIST_CHECK(fill(node, *found, depth + 1));
    return &node;
  }

  Result<const SchemaNode*> child(const Json& json, std::string_view key, std::size_t depth) {
    return inside(key, [&] { return compile(json, depth + 1); });
  }

  Result<> children(const Json& list, std::string_view key, std::vector<const SchemaNode*>& out,
                    std::size_t depth) {
    if (!list.is_array()) {
      return error(cat(key, " must be a list"));
    }
    for (const Json& item : list) {
      KUBIST_TRY(const SchemaNode* node, child(item, key, depth));
      out.push_back(node);
    }
    return {};
  }

  Result<> fill(SchemaNode& node, const Json& json, std::size_t depth) {
    KUBIST_CHECK(fill_type(node, json));
    fill_texts(node, json);
    fill_limits(node, json);
    KUBIST_CHECK(fill_pattern(node, json));
    KUBIST_CHECK(fill_children(node, json, depth));
    return fill_alternatives(node, json, depth);
  }

  Result<> fill_type(SchemaNode& node, const Json& json) {
    node.nullable = bool_at(json, {"nullable"});
    const auto type = json.find("type");
    if (type == json.end()) {
      return {};
    }
    if (type->is_array()) {  // JSON schema: ["string", "null"]
      for (const Json& each : *type) {
        if (each == "null") {
          node.nullable = true;
        } else if (each.is_string()) {
          node.type = each.get<std::string>();
        }
      }
    } else if (type->is_string()) {
      node.type = type->get<std::string>();
    }
    static const std::vector<std::string> k_types = {"object", "array",   "string", "integer",
                                                     "number", "boolean", "null"};
    if (std::find(k_types.begin(), k_types.end(), node.type) == k_types.end()) {
      return error(cat("unknown type \"", node.type, "\"", util::did_you_mean(node.type, k_types)));
    }
    return {};
  }

  static void fill_texts(SchemaNode& node, const Json& json) {
    node.format = string_at(json, {"format"});
    node.title = string_at(json, {"title"});
    node.description = string_at(json, {"description"});
    node.preserve_unknown = bool_at(json, {"x-kubernetes-preserve-unknown-fields"});
    node.int_or_string =
        bool_at(json, {"x-kubernetes-int-or-string"}) || node.format == "int-or-string";
    node.embedded_resource = bool_at(json, {"x-kubernetes-embedded-resource"});
    node.list_type = string_at(json, {"x-kubernetes-list-type"});
    node.required = strings_at(json, {"required"});
    node.list_map_keys = strings_at(json, {"x-kubernetes-list-map-keys"});
    if (const auto value = json.find("default"); value != json.end()) {
      node.default_value = *value;
    }
    if (const auto values = json.find("enum"); values != json.end() && values->is_array()) {
      node.enum_values.assign(values->begin(), values->end());
    }
    if (const Json* rules = find_path(json, {"x-kubernetes-validations"})) {
      node.rules = rules->size();
    }
  }

  static void fill_limits(SchemaNode& node, const Json& json) {
    auto number = [&json](const char* key, std::optional<double>& out) {
      if (const auto value = json.find(key); value != json.end() && value->is_number()) {
        out = value->get<double>();
      }
    };
    auto size = [&json](const char* key, std::optional<std::size_t>& out) {
      const auto value = json.find(key);
      if (value != json.end() && value->is_number() && value->get<double>() >= 0) {
        out = value->get<std::size_t>();
      }
    };
    number("minimum", node.minimum);
    number("maximum", node.maximum);
    number("multipleOf", node.multiple_of);
    node.exclusive_minimum = bool_at(json, {"exclusiveMinimum"});
    node.exclusive_maximum = bool_at(json, {"exclusiveMaximum"});
    size("minLength", node.min_length);
    size("maxLength", node.max_length);
    size("minItems", node.min_items);
    size("maxItems", node.max_items);
    size("minProperties", node.min_properties);
    size("maxProperties", node.max_properties);
    node.unique_items = bool_at(json, {"uniqueItems"});
  }

  Result<> fill_pattern(SchemaNode& node, const Json& json) {
    if (const std::string_view text = string_at(json, {"pattern"}); !text.empty()) {
      KUBIST_TRY(node.pattern, pattern_of(text));
    }
    return {};
  }

  /// The same one for the same text. Most are small: large ones get their memory at a second try.
  Result<std::shared_ptr<const Pattern>> pattern_of(std::string_view text) {
    if (const auto known = m_patterns.find(text); known != m_patterns.end()) {
      return known->second;
    }
    if (text.size() > k_max_pattern) {
      return error("the pattern is too long");
    }
    auto pattern = std::make_shared<const Pattern>(text, k_small_pattern);
    if (pattern->regex.error_code() == re2::RE2::ErrorPatternTooLarge) {
      pattern = std::make_shared<const Pattern>(text, k_pattern_memory);
    }
    if (!pattern->regex.ok()) {
      return error(cat("pattern \"", text, "\": ", pattern->regex.error()));
    }
    m_impl.pattern_memory += pattern->memory();
    if (m_impl.pattern_memory > k_all_patterns) {
      return error(cat("with pattern \"", text, "\" the different patterns take more than ",
                       k_all_patterns >> 20U, " MiB of memory"));
    }
    m_patterns.emplace(pattern->text, pattern);
    return pattern;
  }

  Result<> fill_children(SchemaNode& node, const Json& json, std::size_t depth) {
    if (const auto properties = json.find("properties"); properties != json.end()) {
      if (!properties->is_object()) {
        return error("properties must be an object");
      }
      for (const auto& [name, schema] : properties->get_ref<const Json::object_t&>()) {
        KUBIST_TRY(const SchemaNode* property, child(schema, name, depth));
        node.properties.emplace(name, property);
      }
    }
    if (const auto additional = json.find("additionalProperties"); additional != json.end()) {
      node.additional_allowed = *additional != false;
      if (additional->is_object()) {
        KUBIST_TRY(node.additional, child(*additional, "additionalProperties", depth));
      }
    }
    if (const auto items = json.find("items"); items != json.end()) {
      KUBIST_TRY(node.items, child(*items, "items", depth));
    }
    return {};
  }

  Result<> fill_alternatives(SchemaNode& node, const Json& json, std::size_t depth) {
    if (const auto list = json.find("allOf"); list != json.end()) {
      KUBIST_CHECK(children(*list, "allOf", node.all_of, depth));
    }
    if (const auto list = json.find("anyOf"); list != json.end()) {
      KUBIST_CHECK(children(*list, "anyOf", node.any_of, depth));
    }
    if (const auto list = json.find("oneOf"); list != json.end()) {
      KUBIST_CHECK(children(*list, "oneOf", node.one_of, depth));
    }
    if (const auto negated = json.find("not"); negated != json.end()) {
      KUBIST_TRY(node.negated, child(*negated, "not", depth));
    }
    return {};
  }

  Schema::Impl& m_impl;
  const Json& m_components;
  std::string m_path;
  std::unordered_map<std::string, const SchemaNode*> m_references;
  std::unordered_map<std::string_view, std::shared_ptr<const Pattern>> m_patterns;
};

}  // namespace

namespace {

/// Alternatives look at the same value again: one that contains itself would never end.
bool alternatives_loop(const SchemaNode& node, std::unordered_map<const SchemaNode*, bool>& open) {
  const auto [entry, inserted] = open.emplace(&node, true);
  if (!inserted) {
    return entry->second;
  }
  std::vector<const SchemaNode*> next = node.all_of;
  next.insert(next.end(), node.any_of.begin(), node.any_of.end());
  next.insert(next.end(), node.one_of.begin(), node.one_of.end());
  if (node.negated != nullptr) {
    next.push_back(node.negated);
  }
  for (const SchemaNode* each : next) {
    if (alternatives_loop(*each, open)) {
      return true;
    }
  }
  open[&node] = false;
  return false;
}

}  // namespace

Schema::Schema(std::shared_ptr<const Impl> impl) : m_impl(std::move(impl)) {}

Result<Schema> Schema::compile(const Json& schema, const Json& components) {
  auto impl = std::make_shared<Impl>();
  KUBIST_TRY(impl->root, Compiler(*impl, components).compile(schema, 0));
  std::unordered_map<const SchemaNode*, bool> open;
  for (const SchemaNode& node : impl->nodes) {
    if (alternatives_loop(node, open)) {
      return util::fail(ErrorKind::invalid,
                        cat("schema ", node.ref_name, ": an alternative refers to itself"));
    }
  }
  return Schema(std::move(impl));
}

const SchemaNode& Schema::root() const { return *m_impl->root; }

std::int64_t Schema::pattern_memory() const { return m_impl->pattern_memory; }

bool SchemaNode::open() const {
  return preserve_unknown || additional_allowed ||
         (properties.empty() && type.empty() && additional == nullptr);
}

namespace {

/// A wrapper of one reference (allOf with one element) stands for what it refers to.
const SchemaNode& unwrap(const SchemaNode& node) {
  const SchemaNode* at = &node;
  while (at->all_of.size() == 1 && at->properties.empty() && at->items == nullptr) {
    at = at->all_of.front();
  }
  return *at;
}

/// Goes through lists, and through maps without fields of their own, to where field names are. A
/// list of lists of itself has none: hence the bound.
const SchemaNode& named_level(const SchemaNode& node) {
  const SchemaNode* at = &unwrap(node);
  for (int hops = 0; hops < 20 && at->properties.empty(); ++hops) {
    if (at->items != nullptr) {
      at = &unwrap(*at->items);
    } else if (at->additional != nullptr) {
      at = &unwrap(*at->additional);
    } else {
      break;
    }
  }
  return *at;
}

const SchemaNode* step(const SchemaNode& node, const std::string& name) {
  const SchemaNode& level = named_level(node);
  const auto found = level.properties.find(name);
  return found == level.properties.end() ? nullptr : found->second;
}

std::vector<std::string> names_below(const SchemaNode& node) {
  std::vector<std::string> names;
  for (const auto& [name, property] : named_level(node).properties) {
    names.push_back(name);
  }
  return names;
}

}  // namespace

Result<const SchemaNode*> Schema::walk(const std::vector<std::string>& path) const {
  const SchemaNode* node = m_impl->root;
  std::string walked;
  for (const std::string& name : path) {
    const SchemaNode* next = step(*node, name);
    if (next == nullptr) {
      return util::fail(ErrorKind::not_found, cat("field \"", name, "\" does not exist",
                                                  walked.empty() ? "" : cat(" in ", walked),
                                                  util::did_you_mean(name, names_below(*node))));
    }
    walked += walked.empty() ? name : "." + name;
    node = next;
  }
  return node;
}

}  // namespace kubist::data
