// The cursor of counters, as it stands in a status that others may have edited.
#include <kubist/data/document.hpp>
#include <kubist/metrics/sample.hpp>

#include "harness.hpp"

using namespace kubist;
using namespace kubist::metrics;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto json = data::parse_json(testing::text_of(bytes, size), "cursor");
  if (!json) {
    return 0;
  }
  if (const auto sample = read_sample(*json)) {
    testing::require(read_sample(to_json(*sample)).has_value(), "what was read can be saved again");
    testing::require(difference(*sample, *sample).size() == sample->arms.size(),
                     "an arm is counted");
    static_cast<void>(carry_over(*sample, *sample));
  }
  return 0;
}
