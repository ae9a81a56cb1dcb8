#include <kubist/deployers/world.hpp>
#include <kubist/util/fs.hpp>

namespace kubist::deployers {
namespace {

std::string or_default(const char* variable, const char* otherwise) {
  std::string value = util::environment(variable);
  return value.empty() ? otherwise : value;
}

}  // namespace

Settings default_settings() {
  Settings settings;
  settings.agent_image = or_default("KUBIST_AGENT_IMAGE", "localhost/kubist:dev");
  settings.script_image = or_default("KUBIST_SCRIPT_IMAGE", "docker.io/library/busybox:stable");
  return settings;
}

}  // namespace kubist::deployers
