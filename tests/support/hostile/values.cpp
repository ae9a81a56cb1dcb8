#include "values.hpp"

#include <map>

namespace kubist::testing {
namespace {

using namespace std::string_literals;
using Words = std::vector<std::string>;

const Words& nasty_texts() {
  static const Words texts{""s,
                           " "s,
                           "\n"s,
                           "\0"s,
                           "a\0b"s,
                           "\x01\x1b[31m\x7f\x08"s,
                           "\r\n\r\nX: y"s,
                           "\xE2\x80\xAE"
                           "gpj.exe\xE2\x81\xA6\xE2\x80\x8F"s,
                           "\xEF\xBB\xBF"
                           "bom"s,
                           "\xF0\x9F\x92\xA9\xEF\xBF\xBD\xEF\xBF\xBF"s,
                           "e\xCC\x81\xCC\x81\xCC\x81"s,
                           "..",
                           ".",
                           "/",
                           "../../../../etc/passwd",
                           "%2e%2e%2f",
                           "%00",
                           "%",
                           "a%2Fb?x=1#y",
                           "//",
                           "\\",
                           "@call {",
                           "${",
                           "${parameters.x",
                           "${parameters.x}",
                           "{{",
                           "{{x",
                           "{{ namespace }}",
                           "}}",
                           "[",
                           "[[[[",
                           "{\"a\":",
                           "\"",
                           "'",
                           "`",
                           "a\"}) or vector(1) #",
                           "$(id)",
                           "$(POD_NAME)",
                           "~",
                           "~1~0~",
                           "null",
                           "true",
                           "0",
                           "-1",
                           "1e999",
                           "0x1F",
                           "NaN",
                           "Infinity",
                           "9223372036854775808",
                           "99999999999999999999999999h",
                           "-5s",
                           "1h1h1h1h",
                           "0s",
                           "1e9s",
                           "P1D",
                           "* * * * *",
                           "*/0 * * * *",
                           "60 25 32 13 8",
                           "0 0 30 2 *",
                           "(a+)+$",
                           "((((((((((a*)*)*)*)*)*)*)*)*)*b",
                           "(?<x>",
                           "[[:alpha:",
                           "a{1000}{1000}",
                           "\\",
                           ".*",
                           "*",
                           "**",
                           "*.*",
                           "home",
                           "kube-system",
                           "shop",
                           "shop-dev",
                           "shop/web",
                           "evil",
                           "evil-dev",
                           "istio-system",
                           "default",
                           "Cluster/home",
                           "Project/shop",
                           "CanaryRelease/x",
                           "$.spec..[?(@.x=='",
                           "{.items[*]",
                           "{.a",
                           "!!binary |",
                           "&a [*a, *a]",
                           "---\n...\n---",
                           "- - - -",
                           "<script>",
                           "--help",
                           "-rf",
                           ";",
                           "function(x) x",
                           "function(x)",
                           "error 'no'",
                           "std.extVar('x')",
                           "import '/etc/passwd'"};
  return texts;
}

const Words& jsonnet_texts() {
  static const Words texts{
      "function(x) x",
      "function(rl) rl + {results: []}",
      "function(rl) error 'no'",
      "function(rl) 1",
      "function(rl) null",
      "function(rl) [[[[]]]]",
      "function(rl, b) b",
      "function(rl) {items: 'x'}",
      "function(rl) {items: [{}], results: {}}",
      "function(rl) {results: [{message: 1, severity: []}]}",
      "{",
      "1",
      "function(",
      "local f(n) = f(n + 1) + 1; function(x) f(0)",
      "function(x) importstr '/etc/passwd'",
      "local a(n) = if n == 0 then 0 else [a(n - 1)]; function(x) a(400)",
      "function(rl) {items: [{kind: 'PolicyOutput', output: {weight: 1e308}}]}",
      "function(rl) rl + {items: [{apiVersion: 'v1', kind: 'Namespace', metadata: {name: "
      "'shop'}}]}",
      "function(all) [{name: 'a', type: 'kubist.io/mock', config: {}}]",
      "function(all) [{name: 'a'}, {name: 'a'}]",
      "function(all) [{name: '../x', type: 'Script'}]",
      "function(all) {deployItems: 1}",
      "function(all) std.repeat('x', 200000)",
      "function(x) std.format('%999999d', 1)",
      "function(x) x.items[9]"};
  return texts;
}

/// By the end of a field's name, in lower case.
const std::map<std::string, Words, std::less<>>& by_field() {
  static const Words durations{"1s", "0s", "10ms", "99999h", "99999h99999m", "1h30m", "24h"};
  static const Words urls{"http://127.0.0.1:1",
                          "https://127.0.0.1:1/%2e%2e?x={{a}}",
                          "http://[::1]:1/",
                          "https://127.0.0.1:99999/",
                          "http://",
                          "https://127.1:1",
                          "http://u:p@127.0.0.1:1/",
                          "https://127.0.0.1:1/\nHost: x"};
  static const Words conditions{"",
                                "path exact \"/\"",
                                "path prefix \"/a\" and not header \"x\" exact \"1\"",
                                "((((((((",
                                "header \"h\" regex \"(a+)+$\"",
                                "path exact \"",
                                "port 99999999999",
                                "not not not port 1",
                                "cookie \"c\" exact \"a;b\" or method exact \"GET\"",
                                "path regex \"[\""};
  static const Words queries{
      "up",       "vector(1)",      "sum(rate(x{a=\"{{namespace}}\"}[{{interval}}]))",
      "{{nope}}", "x{a=\"\n\"}",    "{{",
      "sum(",     "\"{{canary}}\\", "1/0"};
  static const Words names{"web",    "dev",   "home",           "v1",
                           "v2",     "other", "missing",        "secret",
                           "config", "evil",  "kubist-project", std::string(253, 'a')};
  static const std::map<std::string, Words, std::less<>> words{
      {"interval", durations},
      {"bake", durations},
      {"timeout", durations},
      {"delay", durations},
      {"maxage", durations},
      {"step", durations},
      {"duration", durations},
      {"holdlimit", durations},
      {"url", urls},
      {"server", urls},
      {"repo", urls},
      {"oci", {"oci://127.0.0.1:1/x:y", "::", "/"}},
      {"condition", conditions},
      {"match", conditions},
      {"query", queries},
      {"count", queries},
      {"successes", queries},
      {"mean", queries},
      {"standarddeviation", queries},
      {"source", jsonnet_texts()},
      {"template", jsonnet_texts()},
      {"expression",
       {"weight + 1", "((((", "1/0", "weight > \"x\"", "!", "a.b.c.d[9]", "9e999 * 9e999"}},
      {"schedule",
       {"* * * * *", "*/0 * * * *", "0 0 30 2 *", "60 25 32 13 8", "@reboot", "TZ=x * *"}},
      {"cron", {"* * * * *", "0 0 30 2 *", "@every 1s", "1-0 * * * *"}},
      {"timezone", {"UTC", "../../etc/passwd", "Europe/Nowhere", ""}},
      {"name", names},
      {"destination", names},
      {"version", names},
      {"stable", names},
      {"canary", names},
      {"route", names},
      {"release", names},
      {"item", names},
      {"export", names},
      {"key", {"value", "a/b", "..", ".", "missing"}},
      {"reference", names},
      {"image", {"x", "x@sha256:", "a b", "127.0.0.1:1/x:latest", std::string(900, 'a')}},
      {"jsonpath",
       {".", "$", ".a[", ".spec..x", "{range .items[*]}", ".a[?(@.b==\"", ".a[-1:99:0]"}},
      {"yaml",
       {"a: [", "&a [*a]", "--- {kind: X}", "kind: ConfigMap\napiVersion: v1", "!!int x", "\t"}},
      {"raw", {"", "====", "H4sIAAAAAAAAAwMAAAAAAAAAAAA=", "not base64", "QQ"}},
      {"sha256", {std::string(64, 'a'), "", "zz"}},
      {"kind",
       {"ConfigMap", "Namespace", "Secret", "ClusterRole", "", "x/y", "List", "VirtualService"}},
      {"apiversion", {"v1", "networking.istio.io/v1", "", "a/b/c", "kubist.io/v1alpha1"}},
      {"operator", {"exists", "==", "in", "!", "(", ""}},
      {"namespace", {"evil", "evil-dev", "evil-x", "shop", "shop-dev", "kube-system", "x/y"}},
      {"state",
       {"Pending", "Progressing", "Paused", "Waiting", "Promoting", "RollingBack", "Succeeded",
        "Aborted", "Failed", "Running", "Nonsense", ""}},
      {"phase", {"Init", "Progressing", "Succeeded", "Failed", "Deleting", "Nonsense"}},
      {"request", {"promote@1", "abort@", "@", "pause@1@2", "resume@x", "restart@1", "rollback@3"}},
      {"path", {"/", "..", "/a/../../b", "/etc/shadow", "", "/spec/~2"}},
      {"weights", {"web v1=100", "v1=,", "=", "web/v2: 1e9"}}};
  return words;
}

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

const std::vector<std::string>& plausible_texts() {
  static const Words texts{"a",
                           "web",
                           "dev",
                           "home",
                           "v1",
                           "v2",
                           "evil-x",
                           "shop",
                           "shop-dev",
                           "evil-*",
                           "kube-system",
                           "*",
                           "istio-system",
                           "kubist.io",
                           "missing",
                           "mesh",
                           "shop/web",
                           "a/b",
                           "a.b.c",
                           "1s",
                           "0s",
                           "10ms",
                           "99999h99999h99999h99999h",
                           "99999h",
                           "1h30m",
                           "24h",
                           "9999999999999999h",
                           "0.5s",
                           "/",
                           "/..",
                           "/%2e%2e/",
                           "/x y",
                           "http://127.0.0.1:1",
                           "https://127.0.0.1:1",
                           "https://127.0.0.1:*",
                           "http://127.0.0.1:1/%2e%2e?x={{a}}",
                           "https://127.0.0.1:99999/",
                           "http://",
                           "https://*",
                           "oci://127.0.0.1:1/x",
                           "x@sha256:" + std::string(64, 'a'),
                           std::string(64, 'f'),
                           "Cluster/home",
                           "VirtualCluster/dev",
                           "VirtualCluster/missing",
                           "Destination/web",
                           "TrafficRoute/web",
                           "Secret/secret",
                           "Project/shop",
                           "Foo.example.com/x",
                           "ConfigMap",
                           "Secret",
                           "Namespace",
                           "ClusterRole.rbac.authorization.k8s.io",
                           "VirtualCluster",
                           "NET_ADMIN",
                           "ALL",
                           "HTTP",
                           "TCP",
                           "Ready",
                           "Reconciled",
                           "A_b",
                           "abc",
                           "prom:9090",
                           "https:prom:web",
                           "$x:1",
                           "1.27.0",
                           "v1.2.3-rc",
                           "99999999999999999999.0.0",
                           "example.com/v1",
                           "v1/v1",
                           "kubist.io/v1alpha1",
                           std::string(253, 'a'),
                           std::string(63, 'b'),
                           std::string(64, 'c'),
                           std::string(15, 'd')};
  return texts;
}

}  // namespace kubist::testing
