// Two documents: a schema and a value.

#include <kubist/data/document.hpp>
#include <kubist/data/schema.hpp>

#include "harness.hpp"

using namespace kubist::data;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  ReadOptions options;
  options.max_nodes = 10'000;
  options.max_bytes = 64 * 1024;
  const std::string_view text = kubist::testing::text_of(bytes, size);
  auto documents = read_documents(text, "fuzz", options);
  if (!documents || documents->size() != 2) {
    return 0;
  }
  const auto schema = Schema::compile((*documents)[0].value, (*documents)[0].value);
  if (!schema) {
    return 0;
  }
  Json value = (*documents)[1].value;
  static_cast<void>(schema->validate(value, (*documents)[1].lookup()));
  schema->apply_defaults(value);
  static_cast<void>(schema->prune(value));
  static_cast<void>(schema->walk({"spec", "x"}));
  return 0;
}
