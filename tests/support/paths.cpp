#include "paths.hpp"

#include <cstdlib>

namespace kubist::paths {

std::string source_dir() { return KUBIST_SOURCE_DIR; }
std::string program() {
  const char* given = std::getenv("KUBIST_BIN");
  return given != nullptr && *given != '\0' ? given : KUBIST_PROGRAM;
}
std::string jsonnet_child() { return KUBIST_JSONNET_CHILD; }

}  // namespace kubist::paths
