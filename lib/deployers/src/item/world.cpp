#include <kubist/deployers/world.hpp>
#include <kubist/util/fs.hpp>

namespace kubist::deployers {
namespace {

std::string or_default(const char* variable, const char* otherwise) {
  std::string value = util::environment(variable);
  return value.empty() ? otherwise : value;
}

}  // namespace

std::string default_agent_image() {
  return or_default("KUBIST_AGENT_IMAGE", "localhost/kubist:dev");
}

std::string default_script_image() {
  return or_default("KUBIST_SCRIPT_IMAGE", "docker.io/library/busybox:stable");
}

}  // namespace kubist::deployers
