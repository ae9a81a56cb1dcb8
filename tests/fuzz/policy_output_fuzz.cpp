// What a policy of a user's prints, in Jsonnet or by a program of its own; and JSON Patches.
#include <kubist/data/document.hpp>
#include <kubist/data/json_patch.hpp>
#include <kubist/engine/resource_list.hpp>

#include "harness.hpp"

using namespace kubist;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const data::Json k_input = data::Json::parse(R"({"apiVersion":"config.kubernetes.io/v1",
    "kind":"ResourceList","functionConfig":{},"items":[{"apiVersion":"kubist.io/v1alpha1","kind":"Project",
    "metadata":{"name":"shop"},"spec":{"a":[1,2,{"b":"c"}]}}]})");
  const auto output = data::parse_json(testing::text_of(bytes, size), "policy");
  if (!output) {
    return 0;
  }
  if (const auto read = engine::read_policy_output(k_input, *output)) {
    testing::require(!read->state || read->state->dump().size() <= engine::k_max_policy_state,
                     "state is small");
  }
  data::PatchLimits limits;
  limits.max_copied_nodes = 10'000;
  static_cast<void>(data::apply_json_patch(k_input, *output, limits));
  const data::Json merged = data::apply_merge_patch(k_input, *output);
  testing::require(
      data::apply_merge_patch(k_input, data::make_merge_patch(k_input, merged)) == merged,
      "the patch that is made makes the same");
  return 0;
}
