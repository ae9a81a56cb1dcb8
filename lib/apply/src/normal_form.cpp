#include "normal_form.hpp"

#include <algorithm>
#include <array>

#include <kubist/data/json_text.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/quantity.hpp>

namespace kubist::apply {
namespace {

using data::Json;

/// Fields of built-in types whose values (or whose map's values) are quantities.
constexpr std::array<std::string_view, 19> k_quantity_fields{"limits",
                                                             "requests",
                                                             "capacity",
                                                             "hard",
                                                             "sizeLimit",
                                                             "divisor",
                                                             "averageValue",
                                                             "podFixed",
                                                             "min",
                                                             "max",
                                                             "default",
                                                             "defaultRequest",
                                                             "allocatable",
                                                             "maxLimitRequestRatio",
                                                             "value",
                                                             "targetAverageValue",
                                                             "storageCapacity",
                                                             "maximumVolumeSize",
                                                             "used"};

Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::changed || b == Verdict::changed) {
    return Verdict::changed;
  }
  return a == Verdict::doubtful ? a : b;
}

Verdict when(bool same) { return same ? Verdict::unchanged : Verdict::changed; }

bool is_time_field(std::string_view key) {
  return key.ends_with("Time") || key.ends_with("Timestamp") || key == "time";
}

bool same_time(const std::string& a, const std::string& b) {
  const auto left = util::parse_time(a);
  const auto right = util::parse_time(b);
  return left && right && *left == *right;
}

Verdict same_text(const Json& input, const Json& live, std::string_view key, ValuePlace place) {
  const auto& a = input.get_ref<const std::string&>();
  const auto& b = live.get_ref<const std::string&>();
  if (a == b) {
    return Verdict::unchanged;
  }
  if (!place.built_in) {
    return Verdict::changed;
  }
  if (place.base64) {
    const auto bytes = util::base64_decode(a);
    return when(bytes && bytes == util::base64_decode(b));
  }
  if (place.quantities) {
    return when(util::same_quantity(a, b));
  }
  return when(is_time_field(key) && same_time(a, b));
}

Verdict same_scalar(const Json& input, const Json& live, std::string_view key, ValuePlace place) {
  if (input.is_string() && live.is_string()) {
    return same_text(input, live, key, place);
  }
  if (input.is_number() && live.is_number()) {
    if (input.is_number_integer() && live.is_number_integer()) {
      return when(input == live);
    }
    return when(input.get<double>() == live.get<double>());
  }
  if (input.is_number() && live.is_string() && place.built_in && place.quantities) {
    return when(util::same_quantity(data::to_json(input), live.get_ref<const std::string&>()));
  }
  return when(input == live);
}

/// Defaults that the server fills in inside lists and structs that server-side apply treats as one
/// value (k8s.io/kubernetes pkg/apis/*/v1/defaults.go). `object` is the live struct.
bool is_known_default(const Json& object, std::string_view key, const Json& value) {
  const auto is = [&](std::string_view text) { return value.is_string() && value == text; };
  if (value.is_null()) {
    return true;
  }
  if (key == "apiVersion") {
    return is("v1") && (object.contains("fieldPath") || object.contains("spec"));
  }
  if (key == "kind") {
    return is("PersistentVolumeClaim") && object.contains("spec");
  }
  if (key == "apiGroup") {
    return is("rbac.authorization.k8s.io") && object.contains("kind");
  }
  if (key == "status") {
    return is("True") || value == Json{{"phase", "Pending"}};
  }
  if (key == "namespaceSelector" || key == "objectSelector") {
    // What an admission policy matches; in a peer of a NetworkPolicy, {} is no default.
    return value == Json::object() && object.contains("matchPolicy");
  }
  return (key == "protocol" && is("TCP")) || (key == "scope" && is("*")) ||
         (key == "matchPolicy" && is("Equivalent")) || (key == "volumeMode" && is("Filesystem")) ||
         (key == "expirationSeconds" && value == 3600) || (key == "divisor" && is("0"));
}

/// Booleans and numbers of JSONSchemaProps that are dropped when they say what is so anyway.
bool is_dropped_schema_field(std::string_view key) {
  return key == "nullable" || key == "uniqueItems" || key == "exclusiveMinimum" ||
         key == "exclusiveMaximum" || key == "deprecated" || key == "priority";
}

Verdict same_object(const Json& input, const Json& live, ValuePlace place) {
  Verdict verdict = Verdict::unchanged;
  for (const auto& [key, value] : input.items()) {
    const auto found = live.find(key);
    if (found != live.end()) {
      verdict = worse(verdict, same_value(value, &*found, key, below(place, key)));
    } else if (is_empty(value)) {
      continue;
    } else if (place.built_in && is_zero(value)) {
      verdict =
          worse(verdict, is_dropped_schema_field(key) ? Verdict::unchanged : Verdict::doubtful);
    } else {
      return Verdict::changed;
    }
    if (verdict == Verdict::changed) {
      return verdict;
    }
  }
  for (const auto& [key, value] : live.items()) {
    if (!input.contains(key) && !(place.built_in && is_known_default(live, key, value))) {
      verdict = worse(verdict, Verdict::doubtful);
    }
  }
  return verdict;
}

Verdict same_list(const Json& input, const Json& live, std::string_view key, ValuePlace place) {
  if (input.size() != live.size()) {
    return Verdict::changed;
  }
  Verdict verdict = Verdict::unchanged;
  for (std::size_t i = 0; i < input.size() && verdict != Verdict::changed; ++i) {
    verdict = worse(verdict, same_value(input[i], &live[i], key, place));
  }
  return verdict;
}

}  // namespace

ValuePlace below(ValuePlace place, std::string_view key) {
  if (place.built_in && !place.quantities) {
    place.quantities = std::find(k_quantity_fields.begin(), k_quantity_fields.end(), key) !=
                       k_quantity_fields.end();
  }
  return place;
}

bool is_empty(const Json& value) {
  return value.is_null() || (value.is_structured() && value.empty());
}

bool is_zero(const Json& value) {
  if (value.is_string()) {
    return value.get_ref<const std::string&>().empty();
  }
  if (value.is_boolean()) {
    return !value.get<bool>();
  }
  return value.is_number() ? value.get<double>() == 0 : is_empty(value);
}

Verdict same_value(const Json& input, const Json* live, std::string_view key, ValuePlace place) {
  if (live == nullptr || live->is_null()) {
    return when(is_empty(input) || (place.built_in && is_zero(input)));
  }
  if (input.is_null()) {
    // The server drops the null and then sets its default, if there is one.
    return Verdict::doubtful;
  }
  if (input.is_object() && live->is_object()) {
    if (input.empty() && !live->empty()) {
      return place.built_in && (key == "strategy" || key == "updateStrategy") ? Verdict::unchanged
                                                                              : Verdict::doubtful;
    }
    return same_object(input, *live, place);
  }
  if (input.is_array() && live->is_array()) {
    return same_list(input, *live, key, place);
  }
  return same_scalar(input, *live, key, place);
}

}  // namespace kubist::apply
