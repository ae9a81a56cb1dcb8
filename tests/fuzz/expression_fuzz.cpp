// Expressions of policies, from CanaryReleases.
#include <cmath>

#include <kubist/policies/expression.hpp>

#include "harness.hpp"

using namespace kubist;
using namespace kubist::policies;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = testing::text_of(bytes, size);
  const auto read = Expression::parse(text, {"weight", "canary.errorRate", "stable.errorRate"});
  if (!read) {
    testing::require(!read.error().message.empty(), "an error says why");
    return 0;
  }
  const Value value = read->evaluate([](const std::string& name) {
    return name == "weight" ? Value{0, "NoData", "never seen"} : Value{0.5, "", ""};
  });
  const bool known = value.unknown.empty();
  testing::require(!known || std::isfinite(value.number), "what is known is a finite number");
  testing::require(!known || !read->is_condition() || value.number == 0 || value.number == 1,
                   "a condition holds or not");
  return 0;
}
