// What a workload writes as its exports, and the records beside exports and state.
#include <cmath>

#include <kubist/state/exports.hpp>
#include <kubist/state/head.hpp>
#include <kubist/state/mark.hpp>

#include "harness.hpp"

using namespace kubist;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = testing::text_of(bytes, size);
  if (const auto exports = state::parse_exports(text, "exports")) {
    const auto again = state::parse_exports(exports->bytes, "exports");
    testing::require(again && again->bytes == exports->bytes, "the normal form is its own");
  }
  static const data::Json k_schema{
      {"type", "object"}, {"required", {"a"}}, {"properties", {{"a", {{"type", "integer"}}}}}};
  if (const auto exports = state::parse_exports(text, "exports", k_schema)) {
    const data::Json& a = exports->value.at("a");
    testing::require(a.is_number() && std::trunc(a.get<double>()) == a.get<double>(),
                     "the schema holds");
  }
  if (const auto head = state::parse_head(text)) {
    testing::require(state::parse_head(state::to_text(*head)) == *head, "a head reads back");
  }
  if (const auto mark = state::parse_mark(text)) {
    testing::require(state::parse_mark(state::to_text(*mark)) == *mark, "a mark reads back");
  }
  return 0;
}
