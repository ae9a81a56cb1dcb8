// A template, evaluated on one fixed object.

#include <kubist/data/jsonpath.hpp>

#include "harness.hpp"

using namespace kubist::data;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Json k_object = Json::parse(
      R"({"a":{"b":[1,2.5,"x",null,true,{"c":"d"}],"e":{}},"l":[{"n":"a","v":1},{"n":"b"}],"s":"text"})");
  const std::string_view text = kubist::testing::text_of(bytes, size);
  for (const auto& path : {JsonPath::compile(text), JsonPath::compile_relaxed(text)}) {
    if (path) {
      std::string out;
      static_cast<void>(path->print(k_object, out));
      static_cast<void>(path->find(k_object, MissingKeys::error));
    }
  }
  return 0;
}
