#include "run/item_drift.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "manifest/manifest_run.hpp"

namespace kubist::deployers {
namespace {

constexpr const char* k_mending_job = "mendingJob";  // of the provider status
constexpr std::size_t k_told = 10;

}  // namespace

std::map<resources::ObjectRef, std::string> to_repair(const std::vector<Drifted>& drifted) {
  std::map<resources::ObjectRef, std::string> repairs;
  for (const Drifted& one : drifted) {
    if (one.repair) {
      repairs.emplace(one.ref, one.what);
    }
  }
  return repairs;
}

std::string drift_text(const std::vector<Drifted>& drifted) {
  std::vector<std::string> told;
  std::size_t more = 0;
  for (const Drifted& one : drifted) {
    if (!one.repair && told.size() == k_told) {
      ++more;
    } else if (!one.repair) {
      told.push_back(one.what);
    }
  }
  return util::cat(util::join(told, "; "), more == 0 ? "" : util::cat("; and ", more, " more"));
}

Json mending(Json status) {
  status["providerStatus"][k_mending_job] = status.value("jobID", "");
  return status;
}

bool is_mending(const Json& status, const std::string& hash) {
  return is_taken_up(status) &&
         data::string_at(status, {"providerStatus", k_mending_job}) ==
             data::string_at(status, {"jobID"}) &&
         data::string_at(status, {"providerStatus", "hash"}) == hash;
}

Json mended(Json status) {
  status["providerStatus"][k_applied_job] = status.value("jobID", "");
  return status;
}

Json with_drift(Json status, const std::string& text, TimePoint now) {
  Json& conditions = status["conditions"];
  const bool known = std::any_of(conditions.begin(), conditions.end(), [](const Json& one) {
    return data::string_at(one, {"type"}) == resources::k_drifted;
  });
  if (text.empty() && !known) {
    return status;
  }
  resources::set_condition(conditions, resources::drift_condition(text), util::format_time(now));
  return status;
}

}  // namespace kubist::deployers
