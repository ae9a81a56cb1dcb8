// Label and field selectors of -l and --field-selector, and of API objects.
#include <kubist/data/document.hpp>
#include <kubist/resources/selector.hpp>

#include "harness.hpp"

using namespace kubist;
using namespace kubist::resources;

namespace {

void check(const LabelSelector& selector) {
  const auto again = LabelSelector::parse(selector.to_string());
  testing::require(again && again->to_string() == selector.to_string(), "a selector reads back");
  static const data::Json k_labels{{"app", "web"}, {"tier", "3"}};
  testing::require(again->matches(k_labels) == selector.matches(k_labels), "and means the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = testing::text_of(bytes, size);
  if (const auto selector = LabelSelector::parse(text)) {
    check(*selector);
  }
  if (const auto terms = parse_field_selector(text)) {
    const auto again = parse_field_selector(to_string(*terms));
    testing::require(again && to_string(*again) == to_string(*terms),
                     "a field selector reads back");
  }
  if (const auto json = data::parse_json(text, "selector")) {
    if (const auto selector = LabelSelector::from_json(*json)) {
      static_cast<void>(selector->matches(*json));
      static_cast<void>(selector->to_string());
    }
  }
  return 0;
}
