#include <kubist/release/observation.hpp>
#include <kubist/resources/kinds.hpp>

namespace kubist::release {

using data::Json;

Json observation(const Plan& plan, const Seen& seen) {
  Json members = Json::array();
  for (const Member& member : seen.members) {
    members.push_back({{"name", member.name},
                       {"settled", member.settled},
                       {"changed", member.changed},
                       {"weight", member.weight ? Json(*member.weight) : Json()},
                       {"message", member.message}});
  }
  return {{"apiVersion", resources::k_kubist_api_version},
          {"kind", "ReleaseObservation"},
          {"metadata", {{"name", plan.canary}}},
          {"target",
           {{"name", seen.target},
            {"ready", seen.target_ready},
            {"message", seen.target_ready ? "" : seen.message}}},
          {"members", std::move(members)}};
}

}  // namespace kubist::release
