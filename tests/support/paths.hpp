#pragma once
#include <string>

/// Where this checkout and its build are. paths.cpp alone has them on its command line: the
/// compiler cache shares every other object of the tests between checkouts.
namespace kubist::paths {

/// The root of the source tree.
std::string source_dir();
/// $KUBIST_BIN, else the program `kubist` of this build.
std::string program();
/// The Jsonnet runtime's child of tests/unit/runtimes.
std::string jsonnet_child();

}  // namespace kubist::paths
