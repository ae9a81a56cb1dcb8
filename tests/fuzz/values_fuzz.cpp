// Quantities, durations, times and base64.
#include <kubist/util/base64.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/quantity.hpp>
#include <kubist/util/text.hpp>

#include "harness.hpp"

using namespace kubist;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = testing::text_of(bytes, size);
  if (util::quantity_value(text)) {
    testing::require(util::same_quantity(text, text), "a quantity is the same as itself");
  }
  if (const auto duration = util::parse_duration(text)) {
    testing::require(util::parse_duration(util::go_duration(*duration)) == *duration,
                     "a duration reads back");
    static_cast<void>(
        util::human_duration(std::chrono::duration_cast<std::chrono::seconds>(*duration)));
  }
  if (const auto time = util::parse_time(text)) {
    const auto again = util::parse_time(util::format_time(*time));
    testing::require(again && *time - *again < std::chrono::seconds(1), "a time reads back");
  }
  if (const auto decoded = util::base64_decode(text)) {
    testing::require(util::base64_decode(util::base64_encode(*decoded)) == *decoded,
                     "base64 reads back");
  }
  static_cast<void>(util::parse_int(text));
  static_cast<void>(util::printable(std::string(text)));
  return 0;
}
