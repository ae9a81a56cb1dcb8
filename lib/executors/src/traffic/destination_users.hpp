#pragma once
#include <optional>
#include <string>
#include <vector>

#include "keep/traffic_place.hpp"

namespace kubist::executors {

/// Which live routing objects of a place send to what a Destination keeps, as "Kind/name". Read
/// when first asked; what cannot be read counts as a user, so that nothing is taken away on a
/// guess. REQUIRES: work and place outlive it.
class DestinationUsers {
 public:
  DestinationUsers(Work& work, const TrafficPlace& place) : m_work(work), m_place(place) {}

  /// Of a Service or DestinationRule of that name.
  std::vector<std::string> of(const std::string& kind, const std::string& name);
  /// Of a subset of the DestinationRule of that name.
  std::vector<std::string> of_subset(const std::string& name, const std::string& subset);
  /// Why it could not be read.
  util::Result<> trouble();

 private:
  util::Result<> read();
  Work& m_work;
  const TrafficPlace& m_place;
  std::optional<util::Result<>> m_read;
  std::vector<data::Json> m_virtual_services;
  std::vector<data::Json> m_http_routes;
};

}  // namespace kubist::executors
