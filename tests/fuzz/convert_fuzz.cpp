// Canaries, Rollouts and what they name, of any shape: each warning has its place, each object a
// kind.
#include <kubist/convert/convert.hpp>

#include "harness.hpp"

using namespace kubist;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto set = resources::read_manifest_text(testing::text_of(bytes, size), "fuzz.yaml");
  const auto converted = convert::convert(set.manifests, {"shop", "shop"});
  if (!converted) {
    testing::require(converted.error().kind == util::ErrorKind::invalid,
                     "only an input without a release is refused");
    return 0;
  }
  for (const util::Error& warning : converted->warnings) {
    testing::require(warning.pos.line > 0 && !warning.message.empty(), "a warning has a place");
  }
  for (const data::Json& object : converted->objects) {
    testing::require(object.contains("kind") && object.contains("spec"), "an object is whole");
  }
  return 0;
}
