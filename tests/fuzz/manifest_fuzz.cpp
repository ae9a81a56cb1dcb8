// Manifests, read and checked against the schemas and rules of kubist's own kinds.
#include <kubist/resources/manifest.hpp>
#include <kubist/resources/validate.hpp>

#include "harness.hpp"

using namespace kubist;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto set = resources::read_manifest_text(testing::text_of(bytes, size), "fuzz.yaml");
  for (const util::Error& error : set.errors) {
    testing::require(!error.to_string().empty(), "every problem has a text");
  }
  for (const util::Error& error : resources::validate(set.manifests)) {
    testing::require(error.kind == util::ErrorKind::invalid, "problems of the input are invalid");
  }
  return 0;
}
