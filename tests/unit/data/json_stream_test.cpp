#include <doctest/doctest.h>

#include <kubist/data/json_stream.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/raw_format.hpp>
#include <kubist/data/yaml_writer.hpp>

#include "golden.hpp"

using namespace kubist;
using data::Json;

namespace {

constexpr std::string_view k_list =
    R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"to\u0041","remainingItemCount":3},)"
    R"("items":[{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"5","generation":2,"managedFields":[{"x":1}],"labels":{"b":"1"}},"data":{"k":"v\n"}},{"metadata":{"name":"b\"q"}}]})";

data::PageBuffer page_of(std::string_view text) {
  data::PageBuffer page;
  page.append(text);
  return page;
}

}  // namespace

TEST_CASE("ListReader: reads the head and each item") {
  data::ListReader reader;
  reader.select({"/data/k", "/metadata/labels/b", "/missing"});
  std::vector<std::string> seen;
  const data::PageBuffer page = page_of(k_list);
  const auto head = reader.read(page, [&](const data::ListItem& item) -> util::Result<> {
    seen.push_back(std::string(item.name) + "|" + std::string(item.name_space) + "|" +
                   std::string(item.uid) + "|" + std::string(item.resource_version) + "|" +
                   std::to_string(item.generation) + "|" + std::string(item.extra.at(1)) + "|" +
                   std::string(item.extra.at(2)));
    CHECK(Json::accept(item.raw));
    return {};
  });
  REQUIRE(head);
  CHECK(head->kind == "ConfigMapList");
  CHECK(head->resource_version == "7");
  CHECK(head->continue_token == "toA");
  CHECK(head->remaining == 3);
  CHECK(head->items == 2);
  CHECK(seen == std::vector<std::string>{"a|n|u|5|2|1|", "b\"q||||0||"});
}

TEST_CASE("ListReader: errors of the reply and of the handler") {
  data::ListReader reader;
  const auto ignore = [](const data::ListItem&) -> util::Result<> { return {}; };
  CHECK(!reader.read(page_of(""), ignore));
  CHECK(!reader.read(page_of("[]"), ignore));
  CHECK(!reader.read(page_of(R"({"kind":"Status"})"), ignore));
  for (std::size_t length = 1; length < k_list.size(); ++length) {
    CHECK(!reader.read(page_of(k_list.substr(0, length)), ignore));
  }
  const auto failed = reader.read(page_of(k_list), [](const data::ListItem&) -> util::Result<> {
    return util::fail(util::ErrorKind::cancelled, "stop");
  });
  CHECK(failed.error().message == "stop");
  CHECK(reader.read(page_of(R"({"items":null})"), ignore)->items == 0);
  CHECK(reader.read_object(page_of(R"({"metadata":{"name":"x"}})"),
                           [](const data::ListItem& item) -> util::Result<> {
                             CHECK(item.name == "x");
                             return {};
                           }));
}

TEST_CASE("TableReader: cells as kubectl prints them") {
  data::TableReader reader;
  const data::PageBuffer page = page_of(
      R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"d","priority":0},{"name":"Wide","type":"string","format":"","description":"","priority":1}],"rows":[{"cells":["a",3,1.5,true,null,"two\nlines","esc\u001b[1m","\u009b1m\u202e",["x"]],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"a"}}},{"cells":["b"],"object":null}]})");
  std::vector<data::TableColumn> columns;
  std::vector<std::vector<std::string>> rows;
  const auto head = reader.read(
      page,
      [&](const std::vector<data::TableColumn>& definitions) -> util::Result<> {
        columns = definitions;
        return {};
      },
      [&](const data::TableRow& row) -> util::Result<> {
        rows.emplace_back(row.cells.begin(), row.cells.end());
        CHECK(row.object.name == (rows.size() == 1 ? "a" : ""));
        return {};
      });
  REQUIRE(head);
  CHECK(head->resource_version == "9");
  REQUIRE(columns.size() == 2);
  CHECK(columns[1].priority == 1);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == std::vector<std::string>{"a", "3", "1.5", "true", "", "two...", "esc^[[1m",
                                            "\\xc2\\x9b1m\\xe2\\x80\\xae", R"(["x"])"});
}

TEST_CASE("WatchDecoder: cuts a stream into events") {
  const std::string stream =
      "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
      "\"resourceVersion\":\"1\"}}}\n"
      "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"2\"}}}\n"
      "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410}}\n";
  for (std::size_t step : {std::size_t{1}, std::size_t{7}, stream.size()}) {
    data::WatchDecoder decoder;
    std::string seen;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      REQUIRE(
          decoder.feed(stream.substr(at, step), [&](const data::WatchEvent& e) -> util::Result<> {
            seen += std::string(e.type_text) + ":" + std::string(e.object.resource_version) + " ";
            if (e.type == data::WatchType::error) {
              CHECK(e.object.raw == "{\"kind\":\"Status\",\"code\":410}");
            }
            return {};
          }));
    }
    CHECK(seen == "ADDED:1 BOOKMARK:2 ERROR: ");
    CHECK(decoder.pending() == 0);
  }
  data::WatchDecoder small(10);
  CHECK(!small.feed(stream, [](const data::WatchEvent&) -> util::Result<> { return {}; }));
}

TEST_CASE("find_continue: sees the token before the items arrive") {
  const std::size_t items = k_list.find("\"items\"");
  CHECK(data::find_continue(k_list.substr(0, items)) == "toA");
  CHECK(data::find_continue(k_list) == "toA");
  CHECK(!data::find_continue(k_list.substr(0, 60)));
  CHECK(!data::find_continue(R"({"metadata":{"continue":""},"items":[]})"));
  CHECK(!data::find_continue(R"({"items":[],"metadata":{"continue":"x"}})"));
}

TEST_CASE("RawFormatter: prints as the writers of values do") {
  data::RawFormatter formatter;
  for (const std::string& name : golden::names()) {
    INFO(name);
    for (data::Document& document : golden::input(name)) {
      if (name == "json") {  // -0.0 is printed as -0, which is the integer 0 when read again
        data::erase_path(document.value, {"spec", "d"});
      }
      std::string json;
      std::string yaml;
      const std::string raw = data::to_json(document.value);
      REQUIRE(formatter.json(raw, json));
      REQUIRE(formatter.yaml(raw, yaml));
      CHECK(json + "\n" == data::to_kubectl_json(document.value));
      CHECK(yaml == data::to_yaml(document.value));
    }
  }
}

TEST_CASE("RawFormatter: leaves managedFields out and takes large integers") {
  data::RawFormatter formatter;
  std::string out;
  REQUIRE(formatter.yaml_item(
      R"({"metadata":{"name":"x","managedFields":[{}]},"n":123456789012345678901234567890})", 0,
      out));
  CHECK(out == "- metadata:\n    name: x\n  \"n\": 1.2345678901234568e+29\n");
  CHECK(!formatter.json("{", out));
}
