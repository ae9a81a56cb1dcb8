#pragma once
#include <string>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/item_run.hpp>

/// What an item has at home besides itself: imports, exports and logs.
namespace kubist::deployers {

/// The import values of an item: of its Secret (with the rules on whose Secrets it may name), or of
/// its config; null when it has none.
util::Result<Json> read_imports(World& world, const Item& item);

/// The hash that decides whether there is work.
std::string work_hash(const Item& item, const Deployer& deployer, const Settings& settings,
                      const Json& imports, const Place& place);

/// Brings exports home. Writes nothing where the bytes are the same. Denied, reason NameTaken:
/// their Secret is somebody else's.
util::Result<ExportResult> keep_exports(World& world, const Item& item, const std::string& bytes);
/// Where the Secret for it is somebody else's, World::progress says that it is not kept.
util::Result<> keep_log(World& world, const Item& item, const std::string& job,
                        const std::string& text);

}  // namespace kubist::deployers
