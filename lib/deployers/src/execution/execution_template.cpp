#include <array>

#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/deployers/logs.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/execution_items.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/rules.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "item/requests.hpp"

// Templates items: Jsonnet gives DeployItems.
namespace kubist::deployers {
namespace {

using util::cat;
using util::ErrorKind;

constexpr std::array k_answer_fields{"deployItems", "exports", "state"};
// What a part says besides the spec of its DeployItem.
constexpr std::array k_part_fields{"name", "dependsOn"};
constexpr std::array k_spec_fields{
    "type",     "target",       "context",           "import",
    "config",   "timeout",      "exports",           "providerConfig",
    "onDelete", "exportSchema", "updateOnChangeOnly"};
constexpr std::size_t k_max_parts = 256;

tl::unexpected<util::Error> template_failed(const RenderedItem& item, std::string_view message,
                                            std::string hint = {}) {
  return util::fail(ErrorKind::invalid, cat("template of item ", item.name, ": ", message),
                    std::move(hint), "TemplateFailed");
}

std::string state_name(const ExecutionInput& input, const RenderedItem& item) {
  return cat(deploy_item_name(name_of(input.object), item.name), "-template");
}

util::Result<Json> read_state(World& world, const ExecutionInput& input, const RenderedItem& item) {
  const std::string name = state_name(input, item);
  KUBIST_TRY(const auto secret,
             world.home->find(kube::well_known::secrets(), ns_of(input.object), name, world.stop));
  if (!secret) {
    return Json();
  }
  KUBIST_CHECK(check_secret_owner(*secret, {{"metadata", owned_metadata(input, name)}}));
  const auto text = util::base64_decode(data::string_at(*secret, {"data", state::k_state_key}));
  auto value =
      data::parse_json(text.value_or(""), name, {.big_integers = data::BigIntegers::as_float});
  if (!value) {
    return template_failed(
        item, cat("its state in Secret ", ns_of(input.object), "/", name, " is no JSON"),
        "Delete that Secret to begin without state.");
  }
  return value;
}

util::Result<Json> target_of(World& world, const ExecutionInput& input) {
  const std::string target(data::string_at(input.spec, {"virtualClusterRef", "name"}));
  KUBIST_TRY(const Place place, world.place_of(ns_of(input.object), target));
  return Json{{"name", target.empty() ? Json() : Json(target)},
              {"namespace", place.ns},
              {"cluster", place.cluster.empty() ? Json() : Json(place.cluster)}};
}

/// What a template says may hold what it was given.
Redactor redactor_of(const TemplateInput& given, const Json& state) {
  Redactor redactor;
  redactor.add_all(given.imports);
  redactor.add_all(given.exports);
  redactor.add_all(state);
  return redactor;
}

util::Result<Json> evaluate(World& world, const ExecutionInput& input, const TemplateInput& given,
                            const Json& state) {
  if (!world.jsonnet) {
    return template_failed(given.item, "there is no Jsonnet here");
  }
  KUBIST_TRY(const Json target, target_of(world, input));
  const Json all{
      {"imports", given.imports}, {"exports", given.exports}, {"target", target}, {"state", state}};
  const std::string name =
      cat("Execution/", name_of(input.object), "/items/", given.item.name, "/template");
  const std::string source(data::string_at(given.item.source, {"template"}));
  const auto text = world.jsonnet(name, source, data::to_json(all), ns_of(input.object));
  if (!text) {
    return template_failed(given.item, redactor_of(given, state).redact(text.error().message));
  }
  Json answer = json_or_null(*text);
  if (answer.is_array()) {
    answer = Json{{"deployItems", std::move(answer)}};
  }
  if (!answer.is_object() || !answer.contains("deployItems") || !answer["deployItems"].is_array()) {
    return template_failed(given.item, "it gives no list of DeployItems",
                           "It is a function of {imports, exports, target, state} that gives "
                           "{deployItems: [{name, type, config, ...}], exports: {}, state: {}}, or "
                           "only the list.");
  }
  return answer;
}

util::Result<> check_fields(const Json& object, const auto& known, std::string_view what) {
  for (const auto& [field, value] : object.items()) {
    if (std::find(known.begin(), known.end(), field) == known.end()) {
      return invalid_item(cat(what, " has an unknown field ", field,
                              util::did_you_mean(field, {known.begin(), known.end()})));
    }
  }
  return {};
}

/// Is it one that the Execution could have as an item itself?
bool is_item_type(std::string_view type) { return type == "Container" || type == "Script"; }

const Json& item_schema() {
  static const Json schema = *data::find(*resources::schema(resources::k_kubist_group, "Execution"),
                                         "/properties/spec/properties/items/items");
  return schema;
}

/// The API server has checked the items of the Execution, but nobody those that a template gives.
util::Result<> check_as_item(const Json& part, const std::string& who) {
  static const auto schema = data::Schema::compile(item_schema());
  if (!schema) {
    return util::fail(schema.error());
  }
  // Unknown fields are left to the check of the DeployItem's config, which knows more about them.
  if (auto errors = schema->validate(part, {}, {.reject_unknown = false}); !errors.empty()) {
    return invalid_item(cat(who, ": ", errors[0].message), errors[0].hint);
  }
  if (const auto broken = resources::check_rules(item_schema(), part, nullptr); !broken.empty()) {
    return invalid_item(cat(who, ": ", broken[0].message));
  }
  return {};
}

util::Result<> check_part(const Json& part, const std::string& who) {
  if (!part.is_object()) {
    return invalid_item(cat(who, " is no map"));
  }
  const auto name = data::string_at(part, {"name"});
  constexpr std::size_t k_limit = 63;
  const bool valid =
      !name.empty() && name.size() <= k_limit && name.front() != '-' && name.back() != '-' &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
  if (!valid) {
    return invalid_item(cat(who, " needs a name of at most 63 of a-z, 0-9 and -"));
  }
  if (data::array_at(part, {"dependsOn"}).size() > k_max_parts) {
    return invalid_item(
        cat(who, " (", name, ") has more than ", k_max_parts, " names in its dependsOn"));
  }
  const auto type = data::string_at(part, {"type"});
  if (type.empty() || type == "Templates") {
    return invalid_item(cat(who, " (", name,
                            ") needs a type: Container, Script, or one of a "
                            "DeployItem such as kubist.io/manifest"));
  }
  if (is_item_type(type)) {
    return check_as_item(part, cat(who, " (", name, ")"));
  }
  std::vector<std::string> known(k_spec_fields.begin(), k_spec_fields.end());
  known.insert(known.end(), k_part_fields.begin(), k_part_fields.end());
  return check_fields(part, known, cat(who, " (", name, ")"));
}

RenderedItem read_part(const ExecutionInput& input, const RenderedItem& item, const Json& part,
                       const std::vector<std::string>& depends_on) {
  std::string name = cat(item.name, "/", data::string_at(part, {"name"}));
  if (is_item_type(data::string_at(part, {"type"}))) {
    return render_item(input, part, std::move(name), depends_on, item.imports);
  }
  Json spec = part;
  for (const char* field : k_part_fields) {
    spec.erase(field);
  }
  const auto target = data::string_at(input.spec, {"virtualClusterRef", "name"});
  if (!spec.contains("target") && !target.empty()) {
    spec["target"] = {{"name", target}};
  }
  return render_part(input, part, std::move(name), depends_on, item.imports, std::move(spec));
}

util::Result<ItemGroup> read_parts(const ExecutionInput& input, const RenderedItem& item,
                                   const Json& list) {
  if (list.size() > k_max_parts) {
    return invalid_item(cat("item ", item.name, ": its template gives ", list.size(),
                            " DeployItems, more than ", k_max_parts));
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    KUBIST_CHECK(check_part(list[i], cat("item ", item.name, ": deployItems[", i, "]")));
    names.emplace_back(data::string_at(list[i], {"name"}));
    if (std::count(names.begin(), names.end(), names.back()) > 1) {
      return invalid_item(cat("item ", item.name, ": two DeployItems are named ", names.back()));
    }
  }
  const Json as_items{{"items", list}};
  if (const auto problems = resources::item_problems(as_items); !problems.empty()) {
    return invalid_item(cat("item ", item.name, ": ", problems[0].message), problems[0].hint);
  }
  const std::vector<std::string> outer = data::strings_at(item.source, {"dependsOn"});
  ItemGroup parts;
  parts.order = resources::item_dependencies(as_items);
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::vector<std::string> depends_on = outer;
    for (const std::size_t before : parts.order[i]) {
      depends_on.push_back(cat(item.name, "/", names[before]));
    }
    parts.items.push_back(read_part(input, item, list[i], depends_on));
  }
  return parts;
}

}  // namespace

util::Result<Rendering> render_template(World& world, const ExecutionInput& input,
                                        const TemplateInput& given) {
  KUBIST_TRY(const Json before, read_state(world, input, given.item));
  KUBIST_TRY(const Json answer, evaluate(world, input, given, before));
  KUBIST_CHECK(
      check_fields(answer, k_answer_fields, cat("the template of item ", given.item.name)));
  Rendering rendering;
  auto parts = read_parts(input, given.item, answer["deployItems"]);
  if (!parts) {
    const Redactor redactor = redactor_of(given, before);
    parts.error().message = redactor.redact(parts.error().message);
    parts.error().hint = redactor.redact(parts.error().hint);
    return util::fail(std::move(parts).error());
  }
  rendering.parts = *std::move(parts);
  rendering.exports = answer.value("exports", Json::object());
  if (!rendering.exports.is_object()) {
    return template_failed(given.item, "its exports are no map");
  }
  if (answer.contains("state")) {
    rendering.state = answer["state"];
  }
  return rendering;
}

util::Result<> keep_template_state(World& world, const ExecutionInput& input,
                                   const RenderedItem& item, const Json& state) {
  const std::string text = data::to_json(state);
  if (text.size() > state::k_max_head_state) {
    return template_failed(item, cat("its state has ", text.size(), " bytes, more than 900Ki"));
  }
  KUBIST_CHECK(ensure_secret(
      world, {*world.home},
      internal_secret(owned_metadata(input, state_name(input, item)),
                      {{std::string(state::k_state_key), util::base64_encode(text)}})));
  return {};
}

}  // namespace kubist::deployers
