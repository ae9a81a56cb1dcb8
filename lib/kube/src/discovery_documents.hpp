#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>

/// The documents of the discovery endpoints, read; pure.
namespace kubist::kube {

/// One APIGroupDiscoveryList: appends its resources in order of preference, and the groups whose
/// server does not answer ("Stale") to `failed`.
void read_aggregated(const data::Json& document, std::vector<ApiResource>& resources,
                     std::vector<std::string>& failed);

/// The paths of the group versions that legacy /api and /apis documents name, each once, preferred
/// ones first.
std::vector<std::string> legacy_paths(const data::Json& api, const data::Json& apis);
/// One legacy APIResourceList.
void read_legacy(const data::Json& document, std::vector<ApiResource>& resources);

/// What is kept on disk: the answers' ETags and the resources, as lines of text with tabs (a tenth
/// of the time that JSON takes).
struct DiscoveryRecord {
  std::string etag_api;
  std::string etag_apis;
  std::vector<ApiResource> resources;
  std::vector<std::string> failed;
};
std::string write_record(const DiscoveryRecord& record);
/// False: not a record of this version of kubist.
bool read_record(std::string_view text, DiscoveryRecord& record);

}  // namespace kubist::kube
