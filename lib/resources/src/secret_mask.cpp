#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
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

void mask_map(Json& object, std::string_view key) {
  Json* map = data::find_path(object, {key});
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

void mask_secret(Json& secret);

void mask_last_applied(Json& object) {
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
  mask_secret(*applied);
  *text = data::to_json(*applied) + "\n";
}

void mask_secret(Json& secret) {
  mask_map(secret, "data");
  mask_map(secret, "stringData");
  mask_last_applied(secret);
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

void mask_data_pair(Json& before, Json& after) {
  Json* from = data::find_path(before, {"data"});
  Json* to = data::find_path(after, {"data"});
  bool both = from != nullptr && to != nullptr && from->is_object() && to->is_object();
  if (both) {
    for (auto& [key, value] : from->items()) {
      auto other = to->find(key);
      bool changed = other != to->end() && *other != value;
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
    return;
  }
  mask_map(before, "data");
  mask_map(after, "data");
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

std::pair<Json, Json> masked_pair(const Json& before, const Json& after) {
  Json from = before;
  Json to = after;
  for (Json* secret : {&from, &to}) {
    if (secret->is_object()) {
      fold_string_data(*secret);
      mask_map(*secret, "stringData");
      mask_last_applied(*secret);
    }
  }
  mask_data_pair(from, to);
  return {std::move(from), std::move(to)};
}

}  // namespace kubist::resources
