#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/status.hpp>
#include <kubist/engine/targets.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::engine {

using util::cat;

namespace {

// Of the object, not of one of its targets.
constexpr std::array<std::string_view, 2> k_shared{"handledRequest", "lastRun"};
// Of each entry by itself.
constexpr std::array<std::string_view, 11> k_own{
    "virtualCluster",     "ready",     "reason",   "conditions",
    "observedGeneration", "inventory", "policies", "failures",
    "nextRunAt",          "effective", "executor"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string name_of(const Json& entry) {
  return std::string(data::string_at(entry, {"virtualCluster"}));
}

Json entry_of(const Json& own, const std::string& virtual_cluster) {
  Json entry = own;
  for (const std::string_view name : k_shared) {
    entry.erase(std::string(name));
  }
  const Json* ready = find_condition(own, "Ready");
  entry["virtualCluster"] = virtual_cluster;
  entry["ready"] = ready != nullptr && data::string_at(*ready, {"status"}) == "True";
  entry["reason"] = ready != nullptr ? std::string(data::string_at(*ready, {"reason"})) : "";
  return entry;
}

/// What the conditions of all entries come to.
struct Joined {
  Truth ready = Truth::yes;
  bool reconciling = false, stalled = false;
  std::vector<std::string> open;  ///< "eu: why"
  std::string reason = "Aligned";
  std::size_t count = 0;

  void add(const std::string& name, const Json* entry) {
    static const Json none = Json::object();
    const Json& status = entry != nullptr ? *entry : none;
    const Truth own = condition_truth(status, "Ready");
    ++count;
    reconciling = reconciling || condition_truth(status, "Reconciling") == Truth::yes;
    stalled = stalled || condition_truth(status, "Stalled") == Truth::yes;
    if (own == Truth::yes) {
      return;
    }
    if (open.empty() || (own == Truth::no && ready == Truth::unknown)) {
      const std::string_view why = data::string_at(status, {"reason"});
      reason = why.empty() ? "Pending" : std::string(why);
    }
    if (own == Truth::no || ready == Truth::yes) {
      ready = own;
    }
    const Json* condition = find_condition(status, "Ready");
    const std::string_view message =
        condition != nullptr ? data::string_at(*condition, {"message"}) : "not checked yet";
    open.push_back(cat(name, message.empty() ? "" : ": ", message));
  }

  std::string message() const {
    return open.empty() ? ""
                        : cat(open.size(), " of ", count, " not ready: ", util::join(open, "; "));
  }
};

void join_conditions(Json& status, const Node& node, std::string_view now) {
  std::map<std::string, const Json*> entries;
  for (const std::string& name : *node.selected) {
    entries.emplace(name, nullptr);
  }
  for (const Json& entry : data::array_at(status, {"targets"})) {
    entries[name_of(entry)] = &entry;
  }
  std::int64_t observed = node.generation;
  Joined joined;
  for (const auto& [name, entry] : entries) {
    joined.add(name, entry);
    observed = std::min(observed, entry ? data::int_at(*entry, {"observedGeneration"}) : 0);
  }
  if (observed > 0) {
    status["observedGeneration"] = observed;
  }
  const std::string message = joined.message();
  const auto put = [&](const char* type, Truth truth) {
    const bool told = truth == Truth::yes || std::string_view(type).ends_with("eady");
    resources::set_condition(
        status["conditions"],
        {type, std::string(to_string(truth)), joined.reason, told ? message : "", node.generation},
        now);
  };
  const bool stuck = joined.stalled && !joined.reconciling;
  put("Ready", joined.ready);
  put("TreeReady", joined.ready);
  put("Reconciling", joined.reconciling ? Truth::yes : Truth::no);
  put("Stalled", stuck ? Truth::yes : Truth::no);
}

/// Fields that all entries have alike.
void lift_common(Json& status) {
  const Json& entries = data::array_at(status, {"targets"});
  if (entries.empty()) {
    return;
  }
  const Json first = entries.front();
  for (const auto& [name, value] : first.items()) {
    const bool common = std::all_of(entries.begin(), entries.end(),
                                    [&, &name = name, &value = value](const Json& entry) {
                                      const auto found = entry.find(name);
                                      return found != entry.end() && *found == value;
                                    });
    if (common && !is_one_of(k_own, name)) {
      status[name] = value;
    }
  }
}

}  // namespace

std::vector<std::string> target_names(const Json& status) {
  std::set<std::string> names;
  for (const Json& entry : data::array_at(status, {"targets"})) {
    names.insert(name_of(entry));
  }
  names.erase("");
  return {names.begin(), names.end()};
}

Json target_status(const Json& status, std::string_view virtual_cluster) {
  for (const Json& entry : data::array_at(status, {"targets"})) {
    if (!entry.is_object() || name_of(entry) != virtual_cluster) {
      continue;
    }
    Json own = entry;
    for (const char* name : {"virtualCluster", "ready", "reason"}) {
      own.erase(name);
    }
    if (const auto handled = status.find("handledRequest"); handled != status.end()) {
      own["handledRequest"] = *handled;
    }
    return own;
  }
  return Json::object();
}

Json with_target_status(const Json& status, const Node& node, const Json& own,
                        std::chrono::system_clock::time_point now) {
  Json after = Json::object();
  for (const char* name : {"conditions", "observedGeneration", "handledRequest", "lastRun"}) {
    if (const auto kept = status.find(name); kept != status.end()) {
      after[name] = *kept;
    }
  }
  for (const std::string_view name : k_shared) {
    if (const auto news = own.find(name); news != own.end()) {
      after[std::string(name)] = *news;
    }
  }
  Json targets = Json::array();
  for (const Json& entry : data::array_at(status, {"targets"})) {
    if (const std::string name = name_of(entry); !name.empty() && name != node.target) {
      targets.push_back(entry);
    }
  }
  if (!own.is_null()) {
    targets.push_back(entry_of(own, node.target));
  }
  std::sort(targets.begin(), targets.end(),
            [](const Json& a, const Json& b) { return name_of(a) < name_of(b); });
  if (!targets.empty()) {
    after["targets"] = std::move(targets);
  }
  lift_common(after);
  if (!node.selected->empty()) {
    join_conditions(after, node, util::format_time(now));
  }
  return after;
}

}  // namespace kubist::engine
