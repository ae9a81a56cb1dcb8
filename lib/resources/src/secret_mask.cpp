#include <algorithm>
#include <vector>

#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/secret_mask.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;

namespace {

constexpr std::string_view k_mask = "***";
constexpr std::string_view k_mask_before = "*** (before)";
constexpr std::string_view k_mask_after = "*** (after)";
constexpr std::string_view k_last_applied = "kubectl.kubernetes.io/last-applied-configuration";

/// Whose objects keep values that are not to be shown.
enum class Holder { none, secret, deploy_item };

Holder holder_of(const Json& object) {
  if (is_secret(object)) {
    return Holder::secret;
  }
  return is_deploy_item(object) ? Holder::deploy_item : Holder::none;
}

/// The maps of all Secrets in `value`, or null.
void add_secret_maps(Json& value, std::vector<Json*>& maps) {
  if (is_secret(value)) {
    maps.push_back(data::find_path(value, {"data"}));
    maps.push_back(data::find_path(value, {"stringData"}));
  } else if (value.is_structured()) {
    for (Json& child : value) {
      add_secret_maps(child, maps);
    }
  }
}

/// The maps with such values, or null, in a fixed order.
std::vector<Json*> hidden_maps(Json& object, Holder holder) {
  std::vector<Json*> maps;
  if (holder == Holder::secret) {
    maps = {data::find_path(object, {"data"}), data::find_path(object, {"stringData"})};
  }
  for (const char* field : {"config", "providerConfig"}) {
    Json* config = data::find_path(object, {"spec", field});
    if (holder == Holder::deploy_item && config != nullptr) {
      maps.push_back(data::find_path(*config, {"importValues"}));
      add_secret_maps(*config, maps);
    }
  }
  return maps;
}

void mask_map(Json* map) {
  if (map == nullptr) {
    return;
  }
  if (!map->is_object()) {
    *map = k_mask;  // a Secret that is malformed there may still hold one
    return;
  }
  for (auto& [name, value] : map->items()) {
    value = k_mask;
  }
}

void mask_last_applied(Json& object, Holder holder) {
  Json* text = data::find_path(object, {"metadata", "annotations", k_last_applied});
  if (text == nullptr) {
    return;
  }
  auto applied = text->is_string()
                     ? data::parse_json(text->get_ref<const std::string&>(), "last-applied")
                     : util::fail(util::ErrorKind::invalid, "not a string");
  if (!applied || !applied->is_object()) {
    *text = k_mask;
    return;
  }
  for (Json* map : hidden_maps(*applied, holder)) {
    mask_map(map);
  }
  mask_last_applied(*applied, holder);
  *text = data::to_json(*applied) + "\n";
}

/// stringData written as the server stores it.
void fold_string_data(Json& secret) {
  const Json* plain = data::find_path(secret, {"stringData"});
  if (plain == nullptr || !plain->is_object()) {
    return;
  }
  Json texts = *plain;
  for (const auto& [key, value] : texts.items()) {
    if (value.is_string()) {
      data::set_path(secret, {"data", key},
                     util::base64_encode(value.get_ref<const std::string&>()));
    }
  }
  secret.erase("stringData");
}

void mask_pair(Json* from, Json* to) {
  if (from == nullptr || to == nullptr || !from->is_object() || !to->is_object()) {
    mask_map(from);
    mask_map(to);
    return;
  }
  for (auto& [key, value] : from->items()) {
    const auto other = to->find(key);
    const bool changed = other != to->end() && *other != value;
    value = changed ? k_mask_before : k_mask;
    if (other != to->end()) {
      *other = changed ? k_mask_after : k_mask;
    }
  }
  for (auto& [key, value] : to->items()) {
    if (!from->contains(key)) {
      value = k_mask;
    }
  }
}

// Shorter ones would take innocent words with them.
constexpr std::size_t k_shortest_hidden = 4;

void collect_values(const Json& value, std::vector<std::string>& values) {
  if (value.is_structured()) {
    for (const Json& child : value) {
      collect_values(child, values);
    }
    return;
  }
  const std::string text = value.is_string() ? value.get<std::string>() : data::to_json(value);
  values.push_back(text);
  values.push_back(util::base64_decode(text).value_or(""));
  values.push_back(util::base64_encode(text));
}

// "expected string, got &value.valueUnstructured{Value:12345}", as structured-merge-diff says it.
void hide_quoted_value(std::string& text) {
  constexpr std::string_view k_got = ", got ";
  if (const auto at = text.find(k_got); at != std::string::npos) {
    text.resize(at);
  }
}

void hide_values(util::Error& error, const std::vector<std::string>& values) {
  for (std::string* text : {&error.message, &error.hint}) {
    hide_quoted_value(*text);
    for (const std::string& value : values) {
      if (value.size() >= k_shortest_hidden) {
        *text = util::replace_all(*text, value, k_mask);
      }
    }
  }
  for (util::Error& detail : error.details) {
    hide_values(detail, values);
  }
}

}  // namespace

void hide_values(util::Error& error, const Json& secret) {
  std::vector<std::string> values;
  for (const char* key : {"data", "stringData"}) {
    if (const Json* map = data::find_path(secret, {key})) {
      collect_values(*map, values);
    }
  }
  hide_values(error, values);
}

bool is_secret(const Json& object) {
  return data::string_at(object, {"kind"}) == "Secret" &&
         data::string_at(object, {"apiVersion"}) == "v1";
}

bool is_deploy_item(const Json& object) {
  return data::string_at(object, {"kind"}) == "DeployItem" &&
         data::string_at(object, {"apiVersion"}).starts_with(k_landscaper_group);
}

std::pair<Json, Json> masked_pair(const Json& before, const Json& after) {
  const Holder holder = std::max(holder_of(before), holder_of(after));
  if (holder == Holder::none) {
    return {before, after};
  }
  Json from = before;
  Json to = after;
  for (Json* object : {&from, &to}) {
    if (holder == Holder::secret && object->is_object()) {
      fold_string_data(*object);
    }
    mask_last_applied(*object, holder);
  }
  std::vector<Json*> left = hidden_maps(from, holder);
  std::vector<Json*> right = hidden_maps(to, holder);
  const std::size_t most = std::max(left.size(), right.size());
  left.resize(most);  // one of them may have a configuration or Secrets that the other one lacks
  right.resize(most);
  for (std::size_t i = 0; i < most; ++i) {
    mask_pair(left[i], right[i]);
  }
  return {std::move(from), std::move(to)};
}

std::pair<Json, Json> masked_item(const Json& before, const Json& after) {
  Json from = before;
  Json to = after;
  for (Json* object : {&from, &to}) {
    data::erase_path(*object, {"metadata", "annotations", k_last_applied});
  }
  for (const char* field : {"config", "providerConfig"}) {
    mask_pair(data::find_path(from, {"spec", field}), data::find_path(to, {"spec", field}));
  }
  return {std::move(from), std::move(to)};
}

}  // namespace kubist::resources
