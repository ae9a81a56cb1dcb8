#include <doctest/doctest.h>

#include <kubist/data/compare.hpp>
#include <kubist/data/pointer.hpp>

using namespace kubist;
using data::Json;

TEST_CASE("json: a missing key of a const value throws, and does not end the process") {
  const Json object = {{"a", 1}};
  CHECK(object["a"] == 1);
  CHECK_THROWS_AS(static_cast<void>(object["b"]), std::logic_error);
}

TEST_CASE("pointer: finds what RFC 6901 shows") {
  Json root = Json::parse(R"({"foo":["bar","baz"],"":0,"a/b":1,"m~n":8," ":7})");
  CHECK(data::find(root, "") == &root);
  CHECK(*data::find(root, "/foo/0") == "bar");
  CHECK(*data::find(root, "/") == 0);
  CHECK(*data::find(root, "/a~1b") == 1);
  CHECK(*data::find(root, "/m~0n") == 8);
  CHECK(*data::find(root, "/ ") == 7);
  for (const char* none : {"/foo/2", "/foo/00", "/foo/-", "/x", "foo", "/a~2b", "/foo/0/x"}) {
    CHECK(data::find(root, none) == nullptr);
  }
  CHECK(data::split_pointer("/a~1b/~0")->at(0) == "a/b");
  CHECK(!data::split_pointer("a"));
  CHECK(!data::split_pointer("/~"));
  CHECK(data::join_pointer({"a/b", "~"}) == "/a~1b/~0");
}

TEST_CASE("dotted_path: reads as people write it") {
  CHECK(data::dotted_path("/spec/items/0/name") == "spec.items[0].name");
  CHECK(data::dotted_path("/metadata/labels/app.kubernetes.io~1name") ==
        "metadata.labels[\"app.kubernetes.io/name\"]");
  CHECK(data::dotted_path("") == "");
}

TEST_CASE("paths: get, set and erase by keys") {
  Json root = Json::parse(R"({"metadata":{"name":"a","generation":3,"x":true}})");
  CHECK(data::string_at(root, {"metadata", "name"}) == "a");
  CHECK(data::string_at(root, {"metadata", "generation"}, "none") == "none");
  CHECK(data::int_at(root, {"metadata", "generation"}) == 3);
  CHECK(data::bool_at(root, {"metadata", "x"}));
  CHECK(data::find_path(root, {"metadata", "name", "x"}) == nullptr);
  data::set_path(root, {"spec", "a", "b"}, 1);
  CHECK(root["spec"]["a"]["b"] == 1);
  CHECK(data::erase_path(root, {"spec", "a", "b"}));
  CHECK(!data::erase_path(root, {"spec", "x", "b"}));
}

TEST_CASE("paths: what comes from anybody is read as a count and as texts") {
  const Json root =
      Json::parse(R"({"most":9223372036854775807,"minus":-1,"text":"7","list":["a",1,null,"b"]})");
  CHECK(data::count_at(root, {"most"}) == 1'000'000);
  CHECK(data::count_at(root, {"minus"}, 2) == 2);
  CHECK(data::count_at(root, {"text"}, 2) == 2);
  CHECK(data::strings_at(root, {"list"}) == std::vector<std::string>{"a", "b"});
  CHECK(data::strings_at(root["list"], {}) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("differences: names the places") {
  const Json a = Json::parse(R"({"a":1,"b":{"c":[1,2,{"d":1}]},"e":1})");
  const Json b = Json::parse(R"({"a":1.0,"b":{"c":[1,3,{"d":2},4]},"f":1})");
  CHECK(data::differences(a, b) ==
        std::vector<std::string>{"/b/c/1", "/b/c/2/d", "/b/c/3", "/e", "/f"});
  CHECK(data::differences(a, b, 2).size() == 2);
  CHECK(data::differences(a, a).empty());
}

TEST_CASE("contains_all: maps may have more, lists not") {
  const Json whole = Json::parse(R"({"a":1,"l":[{"x":1,"y":2}]})");
  CHECK(data::contains_all(whole, Json::parse(R"({"l":[{"x":1}]})")));
  CHECK(!data::contains_all(whole, Json::parse(R"({"l":[]})")));
  CHECK(!data::contains_all(whole, Json::parse(R"({"b":null})")));
  CHECK(data::contains_all(whole, Json::object()));
}
