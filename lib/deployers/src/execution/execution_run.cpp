#include "execution/execution_run.hpp"

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "item/requests.hpp"
#include "item/slot.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

ItemOutcome not_started(std::string message) {
  ItemOutcome outcome;
  outcome.state = Progress::State::running;
  outcome.message = std::move(message);
  return outcome;
}

bool failed(const ItemRun& run) {
  return !run.outcome || run.outcome->state == Progress::State::failed;
}

bool imports_from(const RenderedItem& item, std::string_view other) {
  const Json* imports = data::find_path(item.source, {"imports"});
  return imports != nullptr &&
         std::any_of(imports->begin(), imports->end(), [&](const Json& import) {
           return data::string_at(import, {"itemRef", "name"}) == other;
         });
}

/// Is there anybody who reads what this item of the Execution exports?
bool is_read(const Json& spec, const ItemGroup& group, std::size_t item) {
  const std::string& name = group.items[item].name;
  const Json* exports = data::find_path(spec, {"exports"});
  const bool shown =
      exports != nullptr && std::any_of(exports->begin(), exports->end(), [&](const Json& entry) {
        return data::string_at(entry, {"item"}) == name;
      });
  return shown || std::any_of(group.items.begin(), group.items.end(), [&](const auto& other) {
           return other.deploy_item.is_null() || imports_from(other, name);
         });
}

}  // namespace

util::Result<Json> kept_exports(World& world, const Json& deploy_item) {
  const auto name = data::string_at(deploy_item, {"status", "exportRef", "name"});
  if (name.empty()) {
    return Json();
  }
  KUBIST_TRY(const auto secret,
             world.home->find(kube::well_known::secrets(), ns_of(deploy_item), name, world.stop));
  // Who may write statuses may name any Secret there.
  if (!secret || is_off_limits(resources::ObjectView(*secret))) {
    return Json();
  }
  const auto key =
      data::string_at(deploy_item, {"status", "exports", "secretRef", "key"}, state::k_export_key);
  const auto bytes = util::base64_decode(data::string_at(*secret, {"data", key}));
  return json_of_secret(bytes.value_or(""), std::string(name));
}

util::Result<Json> item_imports(World& world, const ExecutionInput& input, const RenderedItem& item,
                                const Json& outer, const Json& exports) {
  KUBIST_TRY(const Json own, resolve_imports(world, ns_of(input.object),
                                             data::find_path(item.source, {"imports"}), exports));
  Json values = outer;
  values.update(own);
  return values;
}

OnFailure on_failure(const Json& spec) {
  const auto word = data::string_at(spec, {"onFailure"});
  return word == "KeepGoing"  ? OnFailure::keep_going
         : word == "RollBack" ? OnFailure::roll_back
                              : OnFailure::stop_dependents;
}

ExecutionRun::ExecutionRun(World& world, const ExecutionInput& input, Json imports, ItemGroup group,
                           std::set<std::string> good)
    : m_world(world),
      m_input(input),
      m_imports(std::move(imports)),
      m_group(std::move(group)),
      m_policy(on_failure(input.spec)),
      m_slots(world.parallelism == 0 ? k_no_limit : static_cast<std::ptrdiff_t>(world.parallelism)),
      m_good(std::move(good)) {}

std::vector<ItemRun> ExecutionRun::run() {
  return run_group(m_group, m_imports, Json::object(),
                   [&](std::size_t i) { return is_read(m_input.spec, m_group, i); });
}

void ExecutionRun::for_each_group(const std::vector<ItemRun>& runs, const GroupCall& what) const {
  for (const ItemRun& run : runs) {
    if (const auto parts = m_parts.find(run.name); parts != m_parts.end()) {
      what(parts->second, run.parts);
    }
  }
  what(m_group, runs);
}

std::vector<ItemRun> ExecutionRun::run_group(const ItemGroup& group, const Json& imports,
                                             const Json& exports,
                                             const std::function<bool(std::size_t)>& read) {
  std::vector<ItemRun> runs(group.items.size());
  const Order before = closure(group.order);
  const auto threw = [&](std::size_t i, const util::Error& error) {
    runs[i].outcome = util::fail(error);
    m_failed = true;
  };
  run_in_order(group.order, ns_of(m_input.object), threw, [&](std::size_t i) {
    ItemRun& run = runs[i];
    run.name = group.items[i].name;
    run.deploy_item = name_of(group.items[i].deploy_item);
    {
      const std::scoped_lock lock(m_mutex);
      run.had_succeeded = m_good.contains(run.name);
    }
    if (auto why = reason_to_wait(runs, group.order[i])) {
      run.outcome = not_started(*std::move(why));
      return;
    }
    Json known = exports;
    for (const std::size_t other : before[i]) {
      if (!runs[other].exports.is_null()) {
        known[util::split(runs[other].name, '/').back()] = runs[other].exports;
      }
    }
    run_one(group.items[i], imports, known, run);
    if (read(i)) {
      read_exports(run);
    }
    if (failed(run)) {
      m_failed = true;
    }
  });
  return runs;
}

std::optional<std::string> ExecutionRun::reason_to_wait(
    const std::vector<ItemRun>& runs, const std::vector<std::size_t>& before) const {
  for (const std::size_t other : before) {
    if (!succeeded(runs[other]) && !(m_policy == OnFailure::keep_going && failed(runs[other]))) {
      return cat("waits for item ", runs[other].name);
    }
  }
  if (m_policy == OnFailure::roll_back && m_failed) {
    return "not started: another item has failed";
  }
  return std::nullopt;
}

void ExecutionRun::run_one(const RenderedItem& item, const Json& imports, const Json& exports,
                           ItemRun& run) {
  if (item.refused) {
    run.refused = true;
    run.outcome = util::fail(*item.refused);
    return;
  }
  if (!item.held.empty()) {
    run.outcome = held_outcome(item);
    return;
  }
  auto values = item_imports(m_world, m_input, item, imports, exports);
  if (!values) {
    run.outcome = util::fail(values.error());
  } else if (item.deploy_item.is_null()) {
    run.outcome = run_template(item, *values, exports, run);
  } else {
    run.outcome = run_deploy_item(item, *values);
  }
}

void ExecutionRun::read_exports(ItemRun& run) {
  if (!run.outcome || run.deploy_item.empty() || run.outcome->state == Progress::State::running) {
    return;
  }
  if (auto given = kept_exports(m_world, run.outcome->item)) {
    run.exports = *std::move(given);
  } else {
    run.outcome = util::fail(given.error());
  }
}

util::Result<ItemOutcome> ExecutionRun::run_deploy_item(const RenderedItem& item,
                                                        const Json& imports) {
  const std::string name = name_of(item.deploy_item);
  const Slot slot(m_slots);
  if (item.imports) {
    KUBIST_CHECK(
        ensure_secret(m_world, {*m_world.home},
                      import_secret(owned_metadata(m_input, name), name, data::to_json(imports))));
  }
  return run_item(m_world, ns_of(m_input.object), name,
                  {.force = m_input.force,
                   .wait = m_input.wait,
                   .known = item.live,
                   .generation = item.live ? generation_of(m_world, *item.live) : 0});
}

util::Result<ItemOutcome> ExecutionRun::run_template(const RenderedItem& item, const Json& imports,
                                                     const Json& exports, ItemRun& run) {
  KUBIST_TRY(Rendering rendering, render_template(m_world, m_input, {item, imports, exports}));
  review_items(m_world, rendering.parts.items);
  KUBIST_TRY(const auto present, owned_items(m_world, m_input.object));
  KUBIST_TRY(auto good, apply_items(m_world, m_input, present, rendering.parts.items, item.name));
  {
    const std::scoped_lock lock(m_mutex);
    m_good.merge(good);
    m_parts.emplace(item.name, rendering.parts);
  }
  run.parts = run_group(rendering.parts, imports, exports, [](std::size_t) { return true; });
  ItemOutcome outcome;
  run.exports = rendering.exports;
  for (const ItemRun& part : run.parts) {
    if (failed(part)) {
      outcome.state = Progress::State::failed;
    } else if (!succeeded(part) && outcome.state == Progress::State::done) {
      outcome.state = Progress::State::running;
    }
    if (!part.exports.is_null()) {
      run.exports[util::split(part.name, '/').back()] = part.exports;
    }
  }
  if (outcome.state == Progress::State::done && rendering.state) {
    KUBIST_CHECK(keep_template_state(m_world, m_input, item, *rendering.state));
  }
  return outcome;
}

}  // namespace kubist::deployers
