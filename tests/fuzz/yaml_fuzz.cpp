// Reads YAML or JSON; what was read must survive being written and read again.

#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/yaml_writer.hpp>

#include "harness.hpp"

using namespace kubist::data;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  ReadOptions options;
  options.big_integers = BigIntegers::as_float;
  options.max_nodes = 100'000;
  const std::string_view text = kubist::testing::text_of(bytes, size);
  const auto documents = read_documents(text, "fuzz", options);
  if (!documents) {
    return 0;
  }
  for (const Document& document : *documents) {
    document.positions().find("/a/0");
    const auto json = parse_json(to_json(document.value), "json", options);
    kubist::testing::require(json && *json == document.value, "JSON reads back");
    const auto yaml = read_documents(to_yaml(document.value), "yaml", options);
    kubist::testing::require(yaml && yaml->size() == 1 && yaml->front().value == document.value,
                             "YAML reads back");
  }
  return 0;
}
