#include "simulated_files.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "input.hpp"

namespace kubist::cli {

using data::Json;
using util::cat;
using util::ErrorKind;
using util::Result;

namespace {

void take(Json object, const std::string& ns, const std::string& name, SimulatedFiles& files,
          std::vector<std::string>& releases) {
  const std::string kind(data::string_at(object, {"kind"}));
  if (data::string_at(object, {"metadata", "namespace"}).empty()) {
    object["metadata"]["namespace"] = ns;
  }
  if (kind == "CanaryRelease") {
    const std::string_view own = data::string_at(object, {"metadata", "name"});
    if (name.empty() || name == own) {
      releases.emplace_back(own);
      files.release = std::move(object);
    }
  } else if (kind == "PolicyDefinition") {
    files.definitions.push_back(std::move(object));
  } else if (kind == "ClusterPolicyDefinition") {
    data::erase_path(object, {"metadata", "namespace"});
    files.definitions.push_back(std::move(object));
  } else if (kind == "TrafficRoute") {
    files.routes.push_back(std::move(object));
  } else if (kind == "Project" || kind == "Root") {
    files.above.push_back(std::make_shared<const Json>(std::move(object)));
  }
}

}  // namespace

std::string simulated_namespace(const Arguments& arguments) {
  const std::string given = arguments.text("namespace");
  return given.empty() ? "default" : given;
}

Result<SimulatedFiles> read_simulated_files(Context& context, const Arguments& arguments) {
  SimulatedFiles files;
  if (!arguments.given("filename")) {
    return files;
  }
  const std::string ns = simulated_namespace(arguments);
  KUBIST_TRY(auto manifests, read_input(context, arguments));
  KUBIST_CHECK(check_input(manifests, nullptr, ns, context.stop()));
  const std::string name = arguments.words().empty() ? std::string() : arguments.words()[0];
  std::vector<std::string> releases;
  for (resources::Manifest& manifest : manifests) {
    take(std::move(manifest.object), ns, name, files, releases);
  }
  if (releases.size() > 1) {
    return util::fail(ErrorKind::usage,
                      cat("there are several releases: ", util::join(releases, ", ")),
                      "Name the one to simulate.");
  }
  if (releases.empty() && !(name.empty() && arguments.given("policy"))) {
    return util::fail(ErrorKind::invalid,
                      cat("there is no CanaryRelease ", name, name.empty() ? "" : " ", "in ",
                          util::join(arguments.list("filename"), ", ")),
                      "Without one, name a policy with --policy.");
  }
  const Json* wanted =
      files.release ? data::find_path(*files.release, {"spec", "routes"}) : nullptr;
  std::erase_if(files.routes, [&](const Json& route) {
    const Json own(std::string(data::string_at(route, {"metadata", "name"})));
    return wanted == nullptr || std::find(wanted->begin(), wanted->end(), own) == wanted->end();
  });
  return files;
}

}  // namespace kubist::cli
