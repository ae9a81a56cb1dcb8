#include <kubist/kube/resource_version.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {

bool is_newer(std::string_view version, std::string_view than) {
  const auto mine = util::parse_int(version);
  const auto other = util::parse_int(than);
  return mine && other ? *mine > *other : version != than;
}

}  // namespace kubist::kube
