#pragma once
#include <string>
#include <string_view>

#include <kubist/data/schema.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/util/result.hpp>

namespace kubist::deployers {

/// The error for a config that cannot be: invalid, reason InvalidConfiguration.
util::Error config_error(std::string message, std::string hint = {});
tl::unexpected<util::Error> refuse(std::string message, std::string hint = {});

/// A schema of ours, from its JSON text.
data::Schema config_schema(std::string_view text);

/// Checks the config of an item with its deployer's schema, and that it is written for that
/// deployer: upstream's configs say so in their apiVersion ("mock.deployer.landscaper...").
util::Result<> check_config(const Item& item, const data::Schema& schema,
                            std::string_view deployer);

}  // namespace kubist::deployers
