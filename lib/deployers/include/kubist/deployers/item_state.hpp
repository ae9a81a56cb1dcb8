#pragma once
#include <filesystem>
#include <string>

#include <kubist/deployers/item.hpp>
#include <kubist/deployers/world.hpp>
#include <kubist/state/store.hpp>

/// The state of one item in people's hands: as its agents read and write it.
namespace kubist::deployers {

/// Opens the state at the item's place. Not_found: no such item, or it never had state. Invalid: it
/// is corrupt (reason CorruptState), the item's type keeps none, or it keeps it in a volume. The
/// client behind `place` must outlive the source.
struct OpenState {
  Place place;
  state::Stored stored;
};
util::Result<OpenState> open_item_state(World& world, const std::string& ns,
                                        const std::string& name);

/// Makes the folder's content the item's state (an empty folder: none), also in place of a corrupt
/// one, or before its first run. Its limit holds. Denied, reason ItemRuns: a job of the item has
/// not ended.
util::Result<state::Head> put_item_state(World& world, const std::string& ns,
                                         const std::string& name,
                                         const std::filesystem::path& folder);

}  // namespace kubist::deployers
