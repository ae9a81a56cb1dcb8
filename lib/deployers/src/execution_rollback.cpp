#include <mutex>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "execution_parts.hpp"
#include "requests.hpp"

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

Json decoded(const Json& secret, std::string_view key) {
  const auto text = util::base64_decode(data::string_at(secret, {"data", key}));
  Json value = Json::parse(text.value_or(""), nullptr, false);
  return value.is_discarded() ? Json() : value;
}

/// Brings one item back; what was done, or nothing.
util::Result<std::string> roll_back_one(World& world, const RenderedItem& item,
                                        const ItemRun& run) {
  const std::string ns = ns_of(item.deploy_item);
  KUBIST_TRY(const auto kept, find_secret(world, ns, last_name(item.deploy_item)));
  if (!kept) {
    KUBIST_TRY(const auto live, world.home->find(deploy_items(), ns, run.deploy_item, world.stop));
    if (!live) {
      return std::string();
    }
    for (const ItemRun& gone : remove_items(world, {*live}, {})) {
      KUBIST_CHECK(gone.outcome);
      if (!succeeded(gone)) {
        return util::fail(util::ErrorKind::unavailable, gone.outcome->message);
      }
    }
    return cat(item.name, " was removed");
  }
  const Json before = decoded(*kept, k_item_key);
  const Json imports = decoded(*kept, k_imports_key);
  const bool ran = run.outcome && run.outcome->ran;
  if (!before.is_object() || (!ran && before == item.deploy_item)) {
    return std::string();
  }
  if (imports.is_object()) {
    KUBIST_CHECK(ensure_secret(world, {*world.home, ""}, imports));
  }
  KUBIST_CHECK(apply_deploy_item(world, before));
  KUBIST_TRY(const ItemOutcome outcome, run_item(world, ns, run.deploy_item));
  if (outcome.state != Progress::State::done) {
    return util::fail(util::ErrorKind::unavailable, outcome.message);
  }
  return cat(item.name, outcome.ran ? " went back to what it was" : " is as it was");
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
      world, {*world.home, ""},
      internal_secret(owned_metadata(input, last_name(item.deploy_item)), std::move(kept))));
  return {};
}

std::vector<std::string> roll_back(World& world, const ItemGroup& group,
                                   const std::vector<ItemRun>& runs) {
  std::mutex mutex;
  std::vector<std::string> done;
  const auto threw = [&](std::size_t i, const util::Error& error) {
    const std::scoped_lock lock(mutex);
    done.push_back(cat(group.items[i].name, " could not go back: ", error.message));
  };
  run_in_order(reversed(group.order), threw, [&](std::size_t i) {
    const RenderedItem& item = group.items[i];
    const bool untouched =
        runs[i].outcome && !runs[i].outcome->ran && runs[i].outcome->state == Progress::State::done;
    if (item.deploy_item.is_null() || untouched) {
      return;
    }
    const auto what = roll_back_one(world, item, runs[i]);
    const std::scoped_lock lock(mutex);
    if (!what) {
      done.push_back(cat(item.name, " could not go back: ", what.error().message));
    } else if (!what->empty()) {
      done.push_back(*what);
    }
  });
  return done;
}

}  // namespace kubist::deployers
