#pragma once
#include <string>

#include <kubist/deployers/deployer.hpp>

namespace kubist::deployers {

/// Metadata of an object at the place of an item: labels, owner annotation, and where it is the
/// item's own namespace an owner reference, so that nothing stays when the item goes.
Json place_metadata(const Item& item, const Job& job, const std::string& name);

/// A reference to the DeployItem for objects of its namespace at home.
Json owner_reference(const Item& item);

}  // namespace kubist::deployers
