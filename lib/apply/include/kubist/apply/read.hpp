#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/util/result.hpp>

namespace kubist::apply {

/// One object to read.
struct Lookup {
  kube::ApiResource resource;
  std::string ns;
  std::string name;
};

/// Reads objects by name, many at once, in the order of the input; with apiVersion and kind.
/// Nothing: the server does not have it. The first other error is that of all, among them one of
/// `reservation`, where the objects take their memory (null: they take what they need).
util::Result<std::vector<std::optional<data::Json>>> read_objects(
    kube::Client& client, const std::vector<Lookup>& objects, std::stop_token stop = {},
    kube::Reservation* reservation = nullptr);

}  // namespace kubist::apply
