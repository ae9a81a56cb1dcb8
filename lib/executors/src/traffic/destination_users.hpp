#pragma once
#include <map>
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
  struct Usages {
    std::vector<std::string> of_host, of_subsets;
    std::map<std::string, std::vector<std::string>> of_subset;
  };
  util::Result<> read();
  /// Of that Service or DestinationRule: each object is read once, and none once the run ends.
  const Usages& usages(const std::string& name);
  Work& m_work;
  const TrafficPlace& m_place;
  std::optional<util::Result<>> m_read;
  std::vector<data::Json> m_virtual_services;
  std::map<std::string, Usages> m_usages;
  std::vector<data::Json> m_http_routes;
};

}  // namespace kubist::executors
