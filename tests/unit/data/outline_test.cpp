#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/json_outline.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/page_buffer.hpp>
#include <kubist/util/text.hpp>

using namespace kubist;
using data::Json;

namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

std::string object(const std::string& metadata, std::size_t levels) {
  return util::cat(R"({"apiVersion":"x/v1","kind":"X","metadata":)", metadata,
                   R"(,"spec":{"config":)", nested(levels), "}}");
}

}  // namespace

TEST_CASE(
    "outline: apiVersion, kind, and the rest of metadata and spec of an object that is nested too "
    "deep") {
  const std::string text = object(
      util::cat(R"({"name":"deep","namespace":"n","uid":"u","labels":{"a":"b"},"managedFields":[)",
                nested(9000), "]}"),
      9000);
  REQUIRE_FALSE(data::parse_json(text, "test"));
  CHECK(data::outline(text) == Json::parse(R"({"apiVersion":"x/v1","kind":"X",
                        "metadata":{"name":"deep","namespace":"n","uid":"u","labels":{"a":"b"}},
                        "spec":{}})"));
}

TEST_CASE("outline: a member that is nested too deep leaves those beside it") {
  const std::string text =
      object(util::cat(R"({"name":"deep","odd":)", nested(600), R"(,"uid":"u"})"), 1);
  CHECK(data::outline(text) == Json::parse(R"({"apiVersion":"x/v1","kind":"X",
                                               "metadata":{"name":"deep","uid":"u"},
                                               "spec":{"config":[]}})"));
}

TEST_CASE("outline: text that is no object gives none") {
  for (const char* text : {"", "[", "null", "7", R"({"metadata":7})", R"({"metadata":{"name":)"}) {
    CAPTURE(text);
    CHECK(data::outline(text) == Json{{"metadata", Json::object()}, {"spec", Json::object()}});
  }
}

TEST_CASE("ListReader: an object of thousands of levels does not hide those beside it") {
  data::PageBuffer page;
  page.append(util::cat(R"({"kind":"XList","metadata":{"resourceVersion":"7"},"items":[)",
                        object(R"({"name":"deep"})", 9000), ",", object(R"({"name":"plain"})", 1),
                        "]}"));
  std::vector<std::string> names;
  const auto head = data::ListReader().read(page, [&](const data::ListItem& item) {
    names.emplace_back(item.name);
    return util::Result<>();
  });
  REQUIRE_MESSAGE(head, (head ? "" : head.error().to_string()));
  CHECK(names == std::vector<std::string>{"deep", "plain"});
}
