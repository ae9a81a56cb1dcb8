// How much memory values take.
#include <string>

#include <doctest/doctest.h>

#include <kubist/data/memory.hpp>

using kubist::data::Json;
using kubist::data::memory_of;

TEST_CASE("memory: small values take many times the length of their text") {
  const auto times = [](const std::string& item) {
    std::string text = "[" + item;
    for (int i = 1; i < 1000; ++i) {
      text += "," + item;
    }
    text += "]";
    return memory_of(Json::parse(text)) / text.size();
  };
  CHECK(times("{}") >= 20);
  CHECK(times("[]") >= 12);
  CHECK(times("0") >= 8);
  CHECK(times(R"({"a":0})") >= 20);
}

TEST_CASE("memory: a long text takes its own length") {
  const std::string text(100'000, 'x');
  CHECK(memory_of(Json(text)) >= text.size());
  CHECK(memory_of(Json(text)) < text.size() + 200);
  CHECK(memory_of(Json{{text, 1}}) >= text.size());
  CHECK(memory_of(Json()) < 100);
}
