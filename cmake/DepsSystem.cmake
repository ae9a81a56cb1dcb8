# KUBIST_SYSTEM_LIBS=ON: what pkg-config and CMake find on this system. See Deps.cmake.

find_package(PkgConfig REQUIRED)
find_package(simdjson 3.0 CONFIG REQUIRED)
kubist_dep(simdjson simdjson::simdjson)
if(KUBIST_TESTS)
  kubist_dep(yaml_cpp yaml-cpp)
endif()

foreach(dep IN ITEMS
    "curl:libcurl>=7.85" "openssl:openssl>=3.0" "yaml:yaml-0.1>=0.2.5"
    "archive:libarchive>=3.6" "re2:re2" "zlib:zlib" "httplib:cpp-httplib>=0.11")
  string(REPLACE ":" ";" dep "${dep}")
  list(GET dep 0 name)
  list(GET dep 1 module)
  pkg_check_modules(DEPS_${name} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  kubist_dep(${name} PkgConfig::DEPS_${name})
endforeach()

# Jsonnet has neither a pkg-config file nor a CMake package.
find_path(JSONNET_INCLUDE_DIR libjsonnet.h REQUIRED)
find_library(JSONNET_LIBRARY jsonnet REQUIRED)
mark_as_advanced(JSONNET_INCLUDE_DIR JSONNET_LIBRARY)
kubist_dep(jsonnet ${JSONNET_LIBRARY})
target_include_directories(deps::jsonnet INTERFACE ${JSONNET_INCLUDE_DIR})
