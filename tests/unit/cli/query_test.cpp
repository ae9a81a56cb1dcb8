#include <doctest/doctest.h>

#include <kubist/cli/sink.hpp>
#include <kubist/data/json.hpp>
#include <kubist/util/duration.hpp>

#include "output/describe.hpp"
#include "output/explain.hpp"
#include "output/server_table.hpp"
#include "output/sorting.hpp"
#include "query/events.hpp"
#include "query/wait_condition.hpp"

using namespace kubist;
using namespace kubist::cli;
using kubist::data::Json;

namespace {

const Now k_now = *util::parse_time("2026-11-21T12:00:00Z");

bool met(std::string_view text, const Json& object) {
  const auto condition = parse_wait_condition(text);
  REQUIRE(condition);
  const auto result = is_met(*condition, object, k_now);
  REQUIRE(result);
  return *result;
}

std::string table_of(const std::string& reply, ServerTableOptions options,
                     const std::string& sort_by = "") {
  StringSink out;
  {
    TableWriter writer(out);
    ServerTable table(writer, std::move(options));
    if (!sort_by.empty()) {
      table.sort_by(*Sorter::make(sort_by));
    }
    data::PageBuffer page;
    page.append(reply);
    REQUIRE(table.print(page));
    REQUIRE(table.finish());
  }
  return out.text();
}

const std::string k_table = R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},
"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"","priority":0},
{"name":"Ready","type":"string","format":"","description":"","priority":0},
{"name":"Node","type":"string","format":"","description":"","priority":1}],
"rows":[{"cells":["web-10","True","n1"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"web-10","namespace":"a","labels":{"app":"web"}}}},
{"cells":["web-2",null,"n2"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"web-2","namespace":"b"}}}]})";

}  // namespace

TEST_CASE("server table: priority columns only with wide, namespace and labels on request") {
  CHECK(table_of(k_table, {}) == "NAME     READY\nweb-10   True\nweb-2    \n");
  CHECK(table_of(k_table, {.wide = true}) ==
        "NAME     READY   NODE\nweb-10   True    n1\nweb-2            n2\n");
  CHECK(table_of(k_table, {.no_headers = true, .with_namespace = true, .show_labels = true}) ==
        "a     web-10   True   app=web\nb     web-2           <none>\n");
  CHECK(table_of(k_table, {.kind_prefix = "pod", .label_columns = {"x.io/app", "app"}}) ==
        "NAME         READY   APP   APP\npod/web-10   True          web\npod/web-2                 "
        " \n");
}

TEST_CASE("server table: sorted by a field") {
  CHECK(table_of(k_table, {.no_headers = true}, ".metadata.name") == "web-10   True\nweb-2    \n");
}

TEST_CASE("sorting: quantities by value, missing first, an unknown field is an error") {
  const auto sorter = *Sorter::make(".v");
  const std::vector<SortKey> keys{Json("1Gi"), Json("900Mi"), std::nullopt};
  CHECK(*sorter.order({&keys[0], &keys[1], &keys[2]}) == std::vector<std::size_t>{2, 1, 0});
  CHECK(!sorter.order({&keys[2]}));
  CHECK(sorter.order({})->empty());
}

TEST_CASE("wait: conditions match without case, and not while their generation is stale") {
  Json object{
      {"metadata", {{"generation", 2}}},
      {"status",
       {{"observedGeneration", 2}, {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}};
  CHECK(met("condition=Ready", object));
  CHECK(met("condition=ready=true", object));
  CHECK(!met("condition=Ready=False", object));
  CHECK(!met("condition=Other", object));
  object["status"]["observedGeneration"] = 1;
  CHECK(!met("condition=Ready", object));
}

TEST_CASE("wait: jsonpath with and without a value, quotes and filters") {
  const Json object{{"status", {{"phase", "Running"}, {"n", 3}}}};
  CHECK(met("jsonpath={.status.phase}=Running", object));
  CHECK(met("jsonpath='{.status.phase}'=Running", object));
  CHECK(met("jsonpath={.status.n}=3", object));
  CHECK(met("jsonpath={.status.phase}", object));
  CHECK(!met("jsonpath={.status.gone}", object));
  CHECK(!met("jsonpath={.status.phase}=Pending", object));
  CHECK(met("jsonpath=.status.phase=Running", object));
}

TEST_CASE("wait: a failed Job ends the waiting, wrong conditions are usage errors") {
  const Json job{
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", {{"name", "j"}}},
      {"status",
       {{"conditions",
         {{{"type", "Failed"}, {"status", "True"}, {"reason", "BackoffLimitExceeded"}}}}}}};
  const auto complete = is_met(*parse_wait_condition("condition=Complete"), job, k_now);
  REQUIRE(!complete);
  CHECK(complete.error().kind == util::ErrorKind::not_ready);
  CHECK(met("condition=Failed", job));
  CHECK(!parse_wait_condition("ready=1"));
  CHECK(!parse_wait_condition("condition="));
  CHECK(parse_wait_condition("delete")->kind == apply::WaitCondition::Kind::deleted);
}

TEST_CASE("events: ages as kubectl prints them, sorted by the last time") {
  const Json once{{"firstTimestamp", "2026-11-21T11:59:50Z"}, {"count", 1}};
  const Json many{{"firstTimestamp", "2026-11-21T11:40:00Z"},
                  {"lastTimestamp", "2026-11-21T11:55:00Z"},
                  {"count", 3}};
  CHECK(event_age(once, k_now) == "10s");
  CHECK(event_age(many, k_now) == "5m (x3 over 20m)");
  CHECK(event_age(Json::object(), k_now) == "<unknown>");
  std::vector<Json> events{once, many};
  sort_events(events);
  CHECK(events[0] == many);
}

TEST_CASE("describe: kubectl's layout, and never a value of a Secret") {
  CHECK(field_label("apiVersion") == "API Version");
  CHECK(field_label("listKind") == "List Kind");
  CHECK(field_label("openAPIV3Schema") == "openAPIV3Schema");
  StringSink out;
  const std::vector<Json> none;
  describe(out,
           Json{{"apiVersion", "x/v1"},
                {"kind", "Thing"},
                {"metadata", {{"name", "t"}, {"uid", "1"}, {"managedFields", {1}}}},
                {"spec", {{"names", {"a", "b"}}, {"replicaCount", 2}}}},
           &none, k_now);
  CHECK(out.text() ==
        "Name:         t\nNamespace:    \nLabels:       <none>\nAnnotations:  <none>\n"
        "API Version:  x/v1\nKind:         Thing\nMetadata:\n  UID:  1\nSpec:\n  Names:\n"
        "    a\n    b\n  Replica Count:  2\nEvents:           <none>\n");
  StringSink secret;
  describe(secret,
           Json{{"apiVersion", "v1"},
                {"kind", "Secret"},
                {"type", "Opaque"},
                {"metadata", {{"name", "s"}}},
                {"data", {{"password", "c2VjcmV0"}}}},
           &none, k_now);
  CHECK(secret.text().find("password:  6 bytes") != std::string::npos);
  CHECK(secret.text().find("c2VjcmV0") == std::string::npos);
  StringSink item;
  describe(item,
           Json{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                {"kind", "DeployItem"},
                {"metadata", {{"name", "i"}}},
                {"spec", {{"config", {{"importValues", {{"password", "hunter2"}}}}}}}},
           &none, k_now);
  CHECK(item.text().find("Password:  ***") != std::string::npos);
  CHECK(item.text().find("hunter2") == std::string::npos);
}

TEST_CASE("explain: fields of a schema with references; unknown fields get a suggestion") {
  const Json components{{"a.b.Spec",
                         {{"description", "Spec says it."},
                          {"required", {"size"}},
                          {"properties",
                           {{"size", {{"type", "integer"}, {"description", "How big."}}},
                            {"self", {{"$ref", "#/components/schemas/a.b.Spec"}}}}}}}};
  const Json schema{
      {"description", "A thing."},
      {"properties",
       {{"specs", {{"type", "array"}, {"items", {{"$ref", "#/components/schemas/a.b.Spec"}}}}}}}};
  const KindSchema kind{"g", "v1", "Thing", &schema, &components};
  const auto text = explain_text(kind, {"specs"}, false);
  REQUIRE(text);
  CHECK(*text ==
        "GROUP:      g\nKIND:       Thing\nVERSION:    v1\n\nFIELD: specs <[]Spec>\n\n\n"
        "DESCRIPTION:\n    Spec says it.\n    \nFIELDS:\n  self\t<Spec>\n    Spec says it.\n\n"
        "  size\t<integer> -required-\n    How big.\n\n\n");
  const auto wrong = explain_text(kind, {"spec"}, false);
  REQUIRE(!wrong);
  CHECK(wrong.error().message.find("did you mean \"specs\"?") != std::string::npos);
  CHECK(explain_document(kind, {"spec"}, false).error().message == wrong.error().message);
  const auto all = explain_text(kind, {}, true);
  REQUIRE(all);
  CHECK(all->find("    size\t<integer> -required-\n") != std::string::npos);

  const Json fields = Json::parse(R"([
    {"name": "self", "required": false, "type": "Spec", "description": "Spec says it."},
    {"name": "size", "required": true, "type": "integer", "description": "How big."}])");
  const auto document = explain_document(kind, {"specs"}, false);
  REQUIRE(document);
  CHECK(*document == Json{{"group", "g"},
                          {"version", "v1"},
                          {"kind", "Thing"},
                          {"field", "specs"},
                          {"type", "[]Spec"},
                          {"description", "Spec says it."},
                          {"fields", fields}});
  const auto tree = explain_document(kind, {}, true);
  REQUIRE(tree);
  CHECK((*tree)["description"] == "A thing.");
  CHECK((*tree)["fields"][0]["fields"] == fields);  // a schema within itself is not told again
}
