#include <doctest/doctest.h>

#include <kubist/data/json_patch.hpp>

using namespace kubist;
using data::Json;

namespace {

util::Result<Json> patch(const char* target, const char* operations,
                         const data::PatchLimits& limits = {}) {
  return data::apply_json_patch(Json::parse(target), Json::parse(operations), limits);
}

Json patched(const char* target, const char* operations) {
  auto result = patch(target, operations);
  if (!result) {
    FAIL(result.error().message);
  }
  return *result;
}

}  // namespace

TEST_CASE("apply_json_patch: does what RFC 6902 appendix A shows") {
  CHECK(patched(R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])") ==
        Json{{"foo", "bar"}, {"baz", "qux"}});
  CHECK(patched(R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])") ==
        Json{{"foo", {"bar", "qux", "baz"}}});
  CHECK(patched(R"({"foo":["a","b"]})", R"([{"op":"remove","path":"/foo/1"}])") ==
        Json::parse(R"({"foo":["a"]})"));
  CHECK(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":null}])") ==
        Json::parse(R"({"a":null})"));
  CHECK(patched(R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
                R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])") ==
        Json::parse(R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"));
  CHECK(patched(R"({"foo":["all","grass","cows","eat"]})",
                R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])") ==
        Json::parse(R"({"foo":["all","cows","eat","grass"]})"));
  CHECK(patched(R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/b"},
                                    {"op":"add","path":"/b/-","value":2}])") ==
        Json::parse(R"({"a":[1],"b":[1,2]})"));
  CHECK(patched(R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])").size() == 2);
  CHECK(patched(R"({"a":1})", R"([{"op":"add","path":"","value":[1]}])") == Json{1});
  CHECK(patched(R"({"a":1})", R"([{"op":"move","from":"/a","path":""}])") == Json(1));
  CHECK(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":1.0}])") == Json{{"a", 1}});
}

TEST_CASE("apply_json_patch: names the operation at fault") {
  auto message = [](const char* target, const char* operations) {
    const auto result = patch(target, operations);
    REQUIRE(!result);
    return result.error().message;
  };
  CHECK(message(R"({"a":1})", R"([{"op":"test","path":"/a","value":1},
                                  {"op":"test","path":"/a","value":2}])") ==
        "JSON patch operation 1 (test /a): the value there is another one");
  CHECK(patch(R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])").error().kind ==
        util::ErrorKind::conflict);
  CHECK(message("{}", R"([{"op":"remove","path":"/a"}])") ==
        "JSON patch operation 0 (remove /a): the document has no value at \"/a\"");
  CHECK(message(R"({"a":1})", R"([{"op":"add","path":"/a/b","value":1}])") ==
        "JSON patch operation 0 (add /a/b): \"/a\" is a number, so nothing can be inside it");
  CHECK(message("{}", R"([{"op":"add","path":"/a/b","value":1}])").find("no value at \"/a\"") !=
        std::string::npos);
  CHECK(message("[1]", R"([{"op":"add","path":"/2","value":1}])").find("beyond the end") !=
        std::string::npos);
  CHECK(message("[1]", R"([{"op":"add","path":"/01","value":1}])").find("no list index") !=
        std::string::npos);
  CHECK(message("{}", R"([{"op":"add","path":"a","value":1}])").find("must begin with /") !=
        std::string::npos);
  CHECK(message("{}", R"([{"op":"add","path":"/a"}])").find("\"value\" is missing") !=
        std::string::npos);
  CHECK(message("{}", R"([{"op":"frob","path":"/a"}])").find("unknown op") != std::string::npos);
  CHECK(message(R"({"a":{}})", R"([{"op":"move","from":"/a","path":"/a/b"}])")
            .find("cannot move into itself") != std::string::npos);
  CHECK(!patch("{}", "{}"));
  CHECK(!patch("{}", "[1]"));
}

TEST_CASE("apply_json_patch: keeps its limits") {
  CHECK(
      !patch("{}", R"([{"op":"add","path":"/a","value":1},{"op":"remove","path":"/a"}])", {1, 10}));
  CHECK(!patch(R"({"a":[1,2,3]})", R"([{"op":"copy","from":"/a","path":"/b"}])", {10, 3}));
}

TEST_CASE("apply_json_patch: makes nothing that is too deep, however little is written") {
  std::string pointer = "/x";
  Json operations = Json::array({{{"op", "add"}, {"path", "/x"}, {"value", Json::object()}}});
  for (std::size_t depth = 1; depth < 100'000; depth *= 2) {
    operations.push_back({{"op", "copy"}, {"from", "/x"}, {"path", pointer + "/a"}});
    for (std::size_t level = 0; level < depth; ++level) {
      pointer += "/a";
    }
  }
  const auto patched = data::apply_json_patch(Json::object(), operations);
  const auto is_too_deep = [](const auto& result) {
    return !result &&
           result.error().message.find("nested deeper than 500 levels") != std::string::npos;
  };
  CHECK(is_too_deep(patched));
  Json deep = 1;
  std::string at;
  for (int level = 0; level < 499; ++level) {
    deep = Json::array({deep});
    at += "/a/0";
  }
  CHECK(data::apply_json_patch(Json::object(), {{{"op", "add"}, {"path", "/a"}, {"value", deep}}}));
  for (const char* op : {"add", "replace"}) {
    CHECK(is_too_deep(data::apply_json_patch({{"a", {{"b", 1}}}},
                                             {{{"op", op}, {"path", "/a/b"}, {"value", deep}}})));
  }
  CHECK(is_too_deep(data::apply_json_patch({{"a", deep}, {"b", {{"c", 1}}}},
                                           {{{"op", "move"}, {"from", "/a"}, {"path", "/b/c"}}})));
}

TEST_CASE("apply_merge_patch: does what RFC 7386 shows") {
  auto merged = [](const char* target, const char* p) {
    return data::apply_merge_patch(Json::parse(target), Json::parse(p));
  };
  CHECK(merged(R"({"a":"b","c":{"d":"e","f":"g"}})", R"({"a":"z","c":{"f":null}})") ==
        Json::parse(R"({"a":"z","c":{"d":"e"}})"));
  CHECK(merged("[1]", R"({"a":{"b":null}})") == Json::parse(R"({"a":{}})"));
  CHECK(merged(R"({"a":1})", "null") == nullptr);
}

TEST_CASE("make_merge_patch: leads from one value to the other") {
  const Json from = Json::parse(R"({"a":1,"b":{"c":2,"d":[1]},"e":"x"})");
  const Json to = Json::parse(R"({"a":1,"b":{"c":3,"d":[1,2]},"f":{"g":1}})");
  const Json patch = data::make_merge_patch(from, to);
  CHECK(patch == Json::parse(R"({"b":{"c":3,"d":[1,2]},"e":null,"f":{"g":1}})"));
  CHECK(data::apply_merge_patch(from, patch) == to);
  CHECK(data::make_merge_patch(from, from) == Json::object());
}
