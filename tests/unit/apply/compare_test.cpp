#include <map>
#include <string>

#include <doctest/doctest.h>

#include <kubist/apply/compare.hpp>
#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support/paths.hpp"

namespace {

using namespace kubist;
using apply::Verdict;
using data::Json;

std::string test_file(const std::string& name) {
  return *util::read_file(util::cat(kubist::paths::source_dir(), "/tests/data/apply/", name));
}

/// The corpus as written and as a real API server (1.34) returned it after a server-side apply.
struct Corpus {
  std::vector<Json> input;
  std::map<std::string, Json> live;

  Corpus() {
    const std::string text =
        util::replace_all(test_file("corpus.yaml"), "NAMESPACE", "apply-probe");
    auto documents = *data::read_documents(text, "corpus.yaml");
    for (auto& document : documents) {
      input.push_back(std::move(document.value));
    }
    const Json objects = Json::parse(test_file("corpus_live.json"));
    for (const Json& object : objects) {
      live[key(object)] = object;
    }
    REQUIRE(input.size() >= 30);
  }
  static std::string key(const Json& object) {
    return util::cat(object["apiVersion"].get<std::string>(), object["kind"].get<std::string>(),
                     object["metadata"]["name"].get<std::string>());
  }
};

apply::CompareOptions options_for(const Json& object) {
  const auto group = resources::ObjectView(object).group();
  return {.manager = "kubist", .has_status = true, .built_in = apply::is_built_in_group(group)};
}

Json live_of(const Json& object, const std::string& fields) {
  Json live = object;
  live["metadata"]["managedFields"] = Json::array({{{"manager", "kubist"},
                                                    {"operation", "Apply"},
                                                    {"apiVersion", object["apiVersion"]},
                                                    {"fieldsV1", Json::parse(fields)}}});
  return live;
}

Json config_map(const Json& data) {
  return {
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}, {"data", data}};
}

Json custom(const Json& spec) {
  return {{"apiVersion", "x.io/v1"}, {"kind", "X"}, {"metadata", {{"name", "a"}}}, {"spec", spec}};
}

Verdict verdict(const Json& input, const Json& live) {
  return apply::compare(input, live, options_for(input)).verdict;
}

}  // namespace

TEST_CASE("compare: what a real server made of the corpus is unchanged") {
  const Corpus corpus;
  for (const Json& input : corpus.input) {
    const std::string key = Corpus::key(input);
    INFO(key);
    const auto live = corpus.live.find(key);
    REQUIRE(live != corpus.live.end());
    apply::CompareOptions options = options_for(input);
    Json defaulted = input;
    if (input["kind"] == "Widget" && input["metadata"]["name"] == "one") {
      CHECK(apply::compare(input, live->second, options).verdict == Verdict::doubtful);
      defaulted["spec"]["routes"][0].update({{"port", 80}, {"tls", {{"mode", "simple"}}}});
      options.defaulted = &defaulted;
    }
    const auto result = apply::compare(input, live->second, options);
    INFO(result.reason);
    CHECK(result.verdict == Verdict::unchanged);
  }
}

TEST_CASE("compare: any leaf of the corpus that differs is seen") {
  const Corpus corpus;
  for (const Json& input : corpus.input) {
    const Json& live = corpus.live.at(Corpus::key(input));
    const Json flat = input.flatten();
    for (const auto& [pointer, value] : flat.items()) {
      if (pointer == "/apiVersion" || pointer == "/kind" || pointer == "/status" ||
          pointer.starts_with("/metadata/name") || pointer.ends_with("/creationTimestamp")) {
        continue;
      }
      INFO(Corpus::key(input), " ", pointer);
      Json edited = input;
      Json& leaf = edited[Json::json_pointer(pointer)];
      leaf = value.is_number()    ? Json(77777)
             : value.is_boolean() ? Json(!value.get<bool>())
                                  : Json("other");
      CHECK(verdict(edited, live) == Verdict::changed);
      Json more = input;
      Json& parent = more[Json::json_pointer(pointer).parent_pointer()];
      if (parent.is_object()) {
        parent["added"] = "x";
        CHECK(verdict(more, live) != Verdict::unchanged);
        Json less = input;
        less[Json::json_pointer(pointer).parent_pointer()].erase(
            Json::json_pointer(pointer).back());
        const bool defaulted = pointer.ends_with("/priority") || pointer.ends_with("/nullable") ||
                               pointer.ends_with("/apiGroup") || pointer.ends_with("/protocol");
        if (!defaulted && !value.is_null() && !(value.is_structured() && value.empty())) {
          INFO(apply::compare(less, live, options_for(less)).reason);
          CHECK(verdict(less, live) != Verdict::unchanged);
        }
      }
    }
  }
}

TEST_CASE("compare: an input without fields has no entry on the server, and is unchanged") {
  const Json input{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "a"}}}};
  Json live = input;
  live["metadata"]["labels"] = {{"kubernetes.io/metadata.name", "a"}};
  CHECK(verdict(input, live) == Verdict::unchanged);
  CHECK(verdict(input, live_of(live, R"({"f:metadata":{"f:labels":{"f:x":{}}}})")) ==
        Verdict::changed);
  Json labelled = input;
  labelled["metadata"]["labels"] = {{"x", "y"}};
  CHECK(verdict(labelled, live) == Verdict::changed);
}

TEST_CASE("compare: ownership decides, not only values") {
  const Json input = config_map({{"a", "1"}});
  CHECK(verdict(input, live_of(input, R"({"f:data":{"f:a":{}}})")) == Verdict::unchanged);
  CHECK(verdict(input, live_of(input, R"({"f:data":{"f:a":{},"f:b":{}}})")) == Verdict::changed);
  // Applied as "data: {}" before; its keys belong to somebody else.
  Json shared = live_of(input, R"({"f:data":{}})");
  shared["metadata"]["managedFields"].push_back(
      {{"manager", "edit"},
       {"operation", "Update"},
       {"fieldsV1", {{"f:data", {{"f:a", Json::object()}}}}}});
  CHECK(verdict(input, shared) == Verdict::changed);
  CHECK(verdict(input, input) == Verdict::changed);
  Json other = live_of(input, R"({"f:data":{"f:a":{}}})");
  other["metadata"]["managedFields"][0]["operation"] = "Update";
  CHECK(verdict(input, other) == Verdict::changed);
  other = live_of(input, R"({"f:data":{"f:a":{}}})");
  other["metadata"]["managedFields"][0]["apiVersion"] = "v2";
  CHECK(verdict(input, other) == Verdict::changed);
}

TEST_CASE("compare: lists with keys compare by key, and their order counts") {
  const Json list = Json::array({{{"name", "a"}, {"v", 1}}, {{"name", "b"}, {"v", 2}}});
  const std::string fields =
      R"({"f:spec":{"f:l":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:v":{}},)"
      R"("k:{\"name\":\"b\"}":{".":{},"f:name":{},"f:v":{}}}}})";
  const Json input = custom({{"l", list}});
  Json live = live_of(input, fields);
  CHECK(verdict(input, live) == Verdict::unchanged);
  live["spec"]["l"].insert(live["spec"]["l"].begin(), Json{{"name", "injected"}});
  CHECK(verdict(input, live) == Verdict::unchanged);
  CHECK(verdict(custom({{"l", Json::array({list[1], list[0]})}}), live) == Verdict::changed);
  CHECK(verdict(custom({{"l", Json::array({list[0]})}}), live) == Verdict::changed);
  CHECK(verdict(custom({{"l", Json::array({list[0], list[1], list[1]})}}), live) ==
        Verdict::changed);
}

TEST_CASE("compare: what an admission policy matches is one value, whose defaults are known") {
  const Json rules = Json::array({{{"apiGroups", {"apps"}}, {"resources", {"*"}}}});
  const auto policy = [&](const Json& more) {
    Json object{{"apiVersion", "admissionregistration.k8s.io/v1"},
                {"kind", "ValidatingAdmissionPolicy"},
                {"metadata", {{"name", "a"}}},
                {"spec", {{"matchConstraints", {{"resourceRules", rules}}}}}};
    object["spec"]["matchConstraints"].update(more);
    return object;
  };
  const std::string fields = R"({"f:spec":{"f:matchConstraints":{}}})";
  const Json none = Json::object();
  const Json defaults{
      {"matchPolicy", "Equivalent"}, {"namespaceSelector", none}, {"objectSelector", none}};
  CHECK(verdict(policy(none), live_of(policy(defaults), fields)) == Verdict::unchanged);
  // No longer in the input: only the server can tell.
  Json narrow = defaults;
  narrow["objectSelector"] = {{"matchLabels", {{"a", "b"}}}};
  CHECK(verdict(policy(none), live_of(policy(narrow), fields)) == Verdict::doubtful);
  Json exact = defaults;
  exact["matchPolicy"] = "Exact";
  CHECK(verdict(policy(none), live_of(policy(exact), fields)) == Verdict::doubtful);
  CHECK(verdict(policy(exact), live_of(policy(defaults), fields)) == Verdict::changed);

  // Elsewhere an empty selector says something else than none.
  const auto peer = [](const Json& from) {
    return Json{{"apiVersion", "networking.k8s.io/v1"},
                {"kind", "NetworkPolicy"},
                {"metadata", {{"name", "a"}}},
                {"spec", {{"ingress", Json::array({{{"from", Json::array({from})}}})}}}};
  };
  const Json own{{"podSelector", none}};
  const Json all{{"podSelector", none}, {"namespaceSelector", none}};
  const std::string ingress = R"({"f:spec":{"f:ingress":{}}})";
  CHECK(verdict(peer(own), live_of(peer(all), ingress)) == Verdict::doubtful);
}

TEST_CASE("compare: custom resources are compared as they were sent") {
  const std::string fields = R"({"f:spec":{"f:cpu":{}}})";
  const Json input = custom({{"cpu", "1000m"}});
  CHECK(verdict(input, live_of(custom({{"cpu", "1"}}), fields)) == Verdict::changed);
  CHECK(verdict(input, live_of(input, fields)) == Verdict::unchanged);
  CHECK(verdict(custom({{"cpu", nullptr}}),
                live_of(custom(Json::object()), R"({"f:spec":{"f:cpu":{}}})")) ==
        Verdict::unchanged);
}

TEST_CASE("compare: an empty list with keys, or of a set, has no trace and is as it should be") {
  const Json none = Json::array();
  // Prometheus of kube-prometheus: x-kubernetes-list-type is set, then map.
  const Json input = custom({{"replicas", 2}, {"enableFeatures", none}, {"volumes", none}});
  const std::string fields = R"({"f:spec":{"f:replicas":{}}})";
  CHECK(verdict(input, live_of(input, fields)) == Verdict::unchanged);
  CHECK(verdict(input, live_of(custom({{"replicas", 2}}), fields)) == Verdict::unchanged);
  CHECK(verdict(input, live_of(custom({{"replicas", 2}, {"volumes", nullptr}}), fields)) ==
        Verdict::unchanged);
  const Json filled =
      custom({{"replicas", 2}, {"enableFeatures", Json::array({"a"})}, {"volumes", none}});
  CHECK(verdict(filled, live_of(input, fields)) == Verdict::changed);
  CHECK(verdict(custom({{"replicas", 2}, {"enableFeatures", none}, {"volumes", "x"}}),
                live_of(input, fields)) == Verdict::changed);
  CHECK(verdict(input, live_of(custom({{"replicas", 2}, {"enableFeatures", "x"}}), fields)) ==
        Verdict::changed);

  // What the list holds is ours, nobody's, somebody else's.
  CHECK(verdict(input, live_of(filled, R"({"f:spec":{"f:replicas":{},)"
                                       R"("f:enableFeatures":{"v:\"a\"":{}}}})")) ==
        Verdict::changed);
  CHECK(verdict(input, live_of(filled, fields)) == Verdict::changed);
  Json shared = live_of(filled, fields);
  shared["metadata"]["managedFields"].push_back(
      {{"manager", "edit"},
       {"operation", "Update"},
       {"fieldsV1", Json::parse(R"({"f:spec":{"f:enableFeatures":{"v:\"a\"":{}}}})")}});
  CHECK(verdict(input, shared) == Verdict::unchanged);
}

TEST_CASE("compare: a map of nothing but such lists has no trace, but it must be there") {
  const Json none = Json::array();
  const Json input = custom({{"a", {{"b", none}, {"c", {{"d", none}}}}}});
  // Nothing of it is in a set, so that the server has no entry at all.
  CHECK(verdict(input, input) == Verdict::unchanged);
  CHECK(verdict(input, custom({{"a", {{"c", Json::object()}, {"other", 1}}}})) ==
        Verdict::unchanged);
  const apply::CompareOptions options = options_for(input);
  const std::string label = R"({"f:metadata":{"f:labels":{"f:x":{}}}})";
  Json labelled = input;
  labelled["metadata"].update({{"labels", {{"x", "y"}}}, {"finalizers", none}});
  CHECK(verdict(labelled, live_of(labelled, label)) == Verdict::unchanged);
  Json live = live_of(labelled, label);
  live["spec"]["a"].erase("c");
  const auto result = apply::compare(labelled, live, options);
  CHECK(result.verdict == Verdict::changed);
  CHECK(result.reason == "spec.a.c is new in the input");
  Json more = labelled;
  more["spec"]["a"]["c"]["e"] = 1;
  CHECK(apply::compare(more, live_of(labelled, label), options).reason ==
        "spec.a.c.e is new in the input");
}

TEST_CASE("compare: an empty map in which all belongs to others is as it should be") {
  // As a Deployment's annotations: its controller adds one, and takes the map over by that.
  const Json input{{"apiVersion", "apps/v1"},
                   {"kind", "Deployment"},
                   {"metadata", {{"name", "a"}, {"annotations", Json::object()}}},
                   {"spec", {{"replicas", 1}}}};
  Json object = input;
  object["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = "1";
  for (const char* fields : {R"({"f:spec":{"f:replicas":{}}})",
                             R"({"f:metadata":{"f:annotations":{}},"f:spec":{"f:replicas":{}}})"}) {
    CAPTURE(fields);
    Json live = live_of(object, fields);
    live["metadata"]["managedFields"].push_back(
        {{"manager", "kube-controller-manager"},
         {"operation", "Update"},
         {"subresource", "status"},
         {"fieldsV1",
          Json::parse(
              R"({"f:metadata":{"f:annotations":{".":{},"f:deployment.kubernetes.io/revision":{}}}})")}});
    CHECK(verdict(input, live) == Verdict::unchanged);
  }
  CHECK(verdict(input, live_of(object, R"({"f:spec":{"f:replicas":{}}})")) == Verdict::changed);
}
