#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/simulation/release_objects.hpp>
#include <kubist/util/text.hpp>

namespace kubist::simulation {
namespace {

using data::Json;

void take(Json object, const std::string& ns, const std::string& name, ReleaseObjects& objects,
          std::vector<std::string>& releases) {
  const std::string kind(data::string_at(object, {"kind"}));
  if (data::string_at(object, {"metadata", "namespace"}).empty()) {
    object["metadata"]["namespace"] = ns;
  }
  if (kind == "CanaryRelease") {
    const std::string_view own = data::string_at(object, {"metadata", "name"});
    if (name.empty() || name == own) {
      releases.emplace_back(own);
      object.erase("status");
      objects.release = std::move(object);
    }
  } else if (kind == "PolicyDefinition") {
    objects.definitions.push_back(std::move(object));
  } else if (kind == "ClusterPolicyDefinition") {
    data::erase_path(object, {"metadata", "namespace"});
    objects.definitions.push_back(std::move(object));
  } else if (kind == "TrafficRoute") {
    objects.routes.push_back(std::move(object));
  } else if (kind == "Project" || kind == "Root") {
    objects.above.push_back(std::make_shared<const Json>(std::move(object)));
  }
}

}  // namespace

util::Result<ReleaseObjects> pick_objects(std::vector<resources::Manifest> manifests,
                                          const std::string& ns, const std::string& name) {
  ReleaseObjects objects;
  std::vector<std::string> releases;
  for (resources::Manifest& manifest : manifests) {
    take(std::move(manifest.object), ns, name, objects, releases);
  }
  if (releases.size() > 1) {
    return util::fail(util::ErrorKind::usage,
                      util::cat("there are several releases: ", util::join(releases, ", ")),
                      "Name the one to simulate.");
  }
  const Json* wanted =
      objects.release ? data::find_path(*objects.release, {"spec", "routes"}) : nullptr;
  std::erase_if(objects.routes, [&](const Json& route) {
    const Json own(std::string(data::string_at(route, {"metadata", "name"})));
    return wanted == nullptr || std::find(wanted->begin(), wanted->end(), own) == wanted->end();
  });
  return objects;
}

}  // namespace kubist::simulation
