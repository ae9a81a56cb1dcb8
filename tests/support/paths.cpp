#include "paths.hpp"

namespace kubist::paths {

std::string source_dir() { return KUBIST_SOURCE_DIR; }
std::string program() { return KUBIST_PROGRAM; }
std::string jsonnet_child() { return KUBIST_JSONNET_CHILD; }

}  // namespace kubist::paths
