// Reads YAML or JSON; what was read must survive being written and read again.
#include <cstdint>
#include <cstdlib>

#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/yaml_writer.hpp>

using namespace kubist::data;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  ReadOptions options;
  options.big_integers = BigIntegers::as_float;
  options.max_nodes = 100'000;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto documents = read_documents(text, "fuzz", options);
  if (!documents) {
    return 0;
  }
  for (const Document& document : *documents) {
    document.positions().find("/a/0");
    const auto json = parse_json(to_json(document.value), "json", options);
    if (!json || *json != document.value) {
      std::abort();
    }
    const auto yaml = read_documents(to_yaml(document.value), "yaml", options);
    if (yaml && yaml->size() == 1 && to_json(yaml->front().value).empty()) {
      std::abort();
    }
  }
  return 0;
}
