#include <mutex>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "item/requests.hpp"

// onFailure: RollBack. What an item was when its Execution last succeeded is kept in a Secret
// beside it (its imports are in there, too).
namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::string_view k_item_key = "deployItem";
constexpr std::string_view k_imports_key = "importSecret";

std::string last_name(const Json& deploy_item) { return home_last_name(name_of(deploy_item)); }

util::Result<std::optional<Json>> find_secret(World& world, const std::string& ns,
                                              const std::string& name) {
  return world.home->find(kube::well_known::secrets(), ns, name, world.stop);
}

Json kept_json(const Json& secret, std::string_view key) {
  const auto text = util::base64_decode(data::string_at(secret, {"data", key}));
  Json value = Json::parse(text.value_or(""), nullptr, false);
  return value.is_discarded() ? Json() : value;
}

/// Is there nothing to roll back of it?
bool is_untouched(const RenderedItem& item, const ItemRun& run) {
  return item.deploy_item.is_null() ||
         (run.outcome && !run.outcome->ran && run.outcome->state == Progress::State::done);
}

/// Removes an item that this run made; false: it was never there.
util::Result<bool> remove_new(World& world, const std::string& ns, const std::string& name) {
  KUBIST_TRY(const auto live, world.home->find(deploy_items(), ns, name, world.stop));
  if (!live) {
    return false;
  }
  for (const ItemRun& gone : remove_items(world, {*live}, {})) {
    KUBIST_CHECK(gone.outcome);
    if (!succeeded(gone)) {
      return util::fail(util::ErrorKind::unavailable, gone.outcome->message);
    }
  }
  return true;
}

util::Result<RolledBack> roll_back_one(World& world, const RenderedItem& item, const ItemRun& run) {
  const std::string ns = ns_of(item.deploy_item);
  KUBIST_TRY(const auto kept, find_secret(world, ns, last_name(item.deploy_item)));
  if (!kept && run.had_succeeded) {
    return RolledBack{item.name, cat(item.name, " stays as it is"), false};
  }
  if (!kept) {
    KUBIST_TRY(const bool removed, remove_new(world, ns, run.deploy_item));
    return RolledBack{item.name, removed ? cat(item.name, " was removed") : "", removed};
  }
  Json before = kept_json(*kept, k_item_key);
  const Json imports = kept_json(*kept, k_imports_key);
  const bool ran = run.outcome && run.outcome->ran;
  if (!before.is_object() || (!ran && before == item.deploy_item)) {
    return RolledBack{item.name, "", false};
  }
  // Others may write Secrets of the namespace, and it may be so no more.
  if (name_of(before) != run.deploy_item || ns_of(before) != ns) {
    return util::fail(util::ErrorKind::invalid,
                      cat("Secret ", last_name(item.deploy_item), " is of another DeployItem"));
  }
  KUBIST_TRY(before, reviewed(world, std::move(before)));
  if (imports.is_object()) {
    KUBIST_CHECK(ensure_secret(world, {*world.home}, imports));
  }
  KUBIST_TRY(const auto live, world.home->find(deploy_items(), ns, run.deploy_item, world.stop));
  KUBIST_TRY(const Json applied, apply_exactly(world, before, live ? &*live : nullptr));
  KUBIST_TRY(const ItemOutcome outcome,
             run_item(world, ns, run.deploy_item, {.generation = generation_of(world, applied)}));
  if (outcome.state != Progress::State::done) {
    return util::fail(util::ErrorKind::unavailable, outcome.message);
  }
  return RolledBack{item.name, cat(item.name, outcome.ran ? " was rolled back" : " is as it was"),
                    false};
}

}  // namespace

std::string rollback_hash(const ExecutionInput& input, const Json& imports) {
  return util::sha256_hex(
      data::to_json({{"items", input.spec.value("items", Json())}, {"imports", imports}}));
}

util::Result<> keep_last(World& world, const ExecutionInput& input, const RenderedItem& item) {
  const std::string deploy_item = name_of(item.deploy_item);
  Json kept{{std::string(k_item_key), util::base64_encode(data::to_json(item.deploy_item))}};
  if (item.imports) {
    KUBIST_TRY(auto secret,
               find_secret(world, ns_of(item.deploy_item), home_import_name(deploy_item)));
    if (secret) {
      Json bare = opaque_secret(owned_metadata(input, home_import_name(deploy_item)),
                                secret->value("data", Json::object()));
      bare["metadata"]["labels"] = (*secret)["metadata"].value("labels", Json::object());
      bare["metadata"]["annotations"] = (*secret)["metadata"].value("annotations", Json::object());
      kept[std::string(k_imports_key)] = util::base64_encode(data::to_json(bare));
    }
  }
  KUBIST_CHECK(ensure_secret(
      world, {*world.home},
      internal_secret(owned_metadata(input, last_name(item.deploy_item)), std::move(kept))));
  return {};
}

util::Result<std::vector<std::string>> unrecorded_items(World& world, const ItemGroup& group,
                                                        const std::vector<ItemRun>& runs,
                                                        bool kept) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RenderedItem& item = group.items[i];
    if (is_untouched(item, runs[i]) || !runs[i].had_succeeded) {
      continue;
    }
    KUBIST_TRY(const auto secret,
               find_secret(world, ns_of(item.deploy_item), last_name(item.deploy_item)));
    if (!secret || !kept) {
      names.push_back(item.name);
    }
  }
  return names;
}

std::vector<RolledBack> roll_back(World& world, const std::string& project, const ItemGroup& group,
                                  const std::vector<ItemRun>& runs) {
  std::mutex mutex;
  std::vector<RolledBack> done;
  const auto threw = [&](std::size_t i, const util::Error& error) {
    const std::scoped_lock lock(mutex);
    const std::string& name = group.items[i].name;
    done.push_back({name, cat(name, " could not be rolled back: ", error.message), false});
  };
  run_in_order(reversed(group.order), project, threw, [&](std::size_t i) {
    const RenderedItem& item = group.items[i];
    if (is_untouched(item, runs[i])) {
      return;
    }
    auto what = roll_back_one(world, item, runs[i]);
    const std::scoped_lock lock(mutex);
    done.push_back(
        what ? *std::move(what)
             : RolledBack{item.name,
                          cat(item.name, " could not be rolled back: ", what.error().message),
                          false});
  });
  return done;
}

}  // namespace kubist::deployers
