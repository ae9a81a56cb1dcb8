#pragma once
#include <stop_token>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

#include "item/in_order.hpp"

namespace kubist::deployers {

/// In which order DeployItems go: each after those that depend on it (k_depends_annotation). A name
/// stands for all parts of a Templates item, too. Annotations can be anything by now: where items
/// wait for each other, all go side by side. The first positions are those of `items`. Behind them
/// are names that several may have: such a name waits for what depends on it, and what has the name
/// waits for the name. So there are as many edges as names, and not items by items. Cancelled: stop
/// was requested.
util::Result<Order> removal_order(const std::vector<data::Json>& items,
                                  const std::stop_token& stop);

}  // namespace kubist::deployers
