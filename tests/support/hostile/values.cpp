#include "values.hpp"

#include "words.hpp"

namespace kubist::testing {
namespace {

using namespace std::string_literals;

std::string lower_text(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return lower;
}

Json nested(std::size_t levels, bool list) {
  Json value = 1;
  for (std::size_t level = 0; level < levels; ++level) {
    value = list ? Json::array({std::move(value)}) : Json{{"a", std::move(value)}};
  }
  return value;
}

}  // namespace

std::string hostile_text(Chance& chance) {
  if (chance.one_in(250)) {
    return std::string(100 << 10U, 'x') + chance.of(nasty_texts());
  }
  if (chance.one_in(40)) {
    std::string many;
    for (int i = 0; i < 60; ++i) {
      many += chance.of(nasty_texts());
    }
    return many;
  }
  return chance.one_in(40) ? std::string(300, "a.-/[{("[chance.below(7)])
                           : chance.of(nasty_texts());
}

std::string hostile_text_for(Chance& chance, std::string_view field) {
  const std::string wanted = lower_text(field);
  for (const auto& [end, words] : by_field()) {
    if (wanted.ends_with(end) && !chance.one_in(4)) {
      return chance.of(words);
    }
  }
  return hostile_text(chance);
}

std::string hostile_key(Chance& chance) {
  static const Words keys{"",
                          "a",
                          ".",
                          "..",
                          "a/b",
                          "~0~1",
                          "$ref",
                          "__proto__",
                          "name",
                          "kind",
                          "interval",
                          "step",
                          "weights",
                          "metrics",
                          "istio-injection",
                          "kubist.io/owner",
                          "pod-security.kubernetes.io/enforce",
                          "app",
                          "app.kubernetes.io/managed-by",
                          "\n",
                          "kubernetes.io/metadata.name"};
  return chance.one_in(5) ? hostile_text(chance) : chance.of(keys);
}

Json hostile_number(Chance& chance) {
  static const std::vector<Json> numbers{0,
                                         1,
                                         -1,
                                         2,
                                         50,
                                         100,
                                         101,
                                         65536,
                                         2147483647,
                                         -2147483648LL,
                                         2147483648LL,
                                         1LL << 53U,
                                         9223372036854775807LL,
                                         -9223372036854775807LL - 1,
                                         9223372036854775808ULL,
                                         18446744073709551615ULL,
                                         0.5,
                                         -0.0,
                                         1e-320,
                                         1e308,
                                         -1e308,
                                         99.999999999999,
                                         1e19,
                                         3.0};
  return numbers[chance.below(numbers.size())];
}

std::string hostile_time(Chance& chance) {
  static const Words times{
      "2026-01-01T00:00:00Z",      "1970-01-01T00:00:00Z",           "0001-01-01T00:00:00Z",
      "9999-12-31T23:59:59Z",      "2024-02-29T12:00:00.999999999Z", "2016-12-31T23:59:60Z",
      "2026-01-01T00:00:00+23:59", "2300-01-01T00:00:00Z",           "1677-09-21T00:12:43Z",
      "2262-04-11T23:47:17Z",      "1600-01-01T00:00:00-23:59",      "2026-06-30T23:59:59.123456Z"};
  return chance.of(times);
}

Json hostile_value(Chance& chance, int levels) {
  if (chance.one_in(400)) {
    return nested(460 + chance.below(60), chance.one_in(2));
  }
  switch (chance.below(levels > 0 ? 9 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return chance.one_in(2);
    case 2:
    case 3:
      return hostile_number(chance);
    case 4:
    case 5:
      return hostile_text(chance);
    case 6: {
      Json list = Json::array();
      for (std::size_t i = chance.below(4); i > 0; --i) {
        list.push_back(chance.one_in(3) && !list.empty() ? list[0]
                                                         : hostile_value(chance, levels - 1));
      }
      return list;
    }
    default: {
      Json object = Json::object();
      for (std::size_t i = chance.below(4); i > 0; --i) {
        object[hostile_key(chance)] = hostile_value(chance, levels - 1);
      }
      return object;
    }
  }
}

Json hostile_manifest(Chance& chance) {
  if (chance.one_in(6)) {
    return hostile_value(chance);
  }
  static const std::vector<std::pair<std::string, std::string>> kinds{
      {"v1", "ConfigMap"},
      {"v1", "Secret"},
      {"v1", "Namespace"},
      {"v1", "Pod"},
      {"v1", "Service"},
      {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding"},
      {"v1", "List"},
      {"rbac.authorization.k8s.io/v1", "RoleBinding"},
      {"v1", "Nonsense"},
      {"", ""},
      {"kubist.io/v1alpha1", "Project"},
      {"kubist.io/v1alpha1", "VirtualCluster"},
      {"apiextensions.k8s.io/v1", "CustomResourceDefinition"},
      {"networking.istio.io/v1", "VirtualService"}};
  const auto& [version, kind] = kinds[chance.below(kinds.size())];
  Json object{{"apiVersion", version},
              {"kind", kind},
              {"metadata", {{"name", hostile_text_for(chance, "name")}}}};
  if (!chance.one_in(3)) {
    object["metadata"]["namespace"] = hostile_text_for(chance, "namespace");
  }
  for (const char* part : {"spec", "data", "rules", "subjects", "items", "status"}) {
    if (chance.one_in(3)) {
      object[part] = hostile_value(chance);
    }
  }
  if (chance.one_in(5)) {
    object["metadata"][chance.one_in(2) ? "labels" : "annotations"] = hostile_value(chance);
  }
  return chance.one_in(5) ? Json{{"manifest", object}, {"policy", "keep"}} : object;
}

}  // namespace kubist::testing
