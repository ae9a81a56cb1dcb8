# The libraries that kubist uses, as targets deps::NAME, the same names in two modes:
#
#   KUBIST_SYSTEM_LIBS=ON   the system's libraries, as a distribution's package links them
#   KUBIST_SYSTEM_LIBS=OFF  one file that needs only libc: libcurl, libarchive, simdjson, jsonnet, jemalloc
#                           and cpp-httplib as scripts/deps builds them, else the -dev packages' archives
#
# Targets: curl openssl yaml simdjson jsonnet archive re2 zlib json cli11 expected boost httplib threads; for tests doctest yaml_cpp;
# jemalloc with OFF only: sanitizers have a malloc of their own, and a distribution chooses one.
# Include this before the first add_subdirectory(): OFF also sets link options for all that follows.

option(KUBIST_SYSTEM_LIBS "Link the system's shared libraries, not everything but libc statically" ON)

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 CONFIG REQUIRED)
find_package(CLI11 2.1 CONFIG REQUIRED)
find_package(tl-expected 1.0 CONFIG REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED)  # Boost.Math: headers alone

function(kubist_dep name)
  add_library(deps::${name} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(deps::${name} INTERFACE ${ARGN})
endfunction()

kubist_dep(threads Threads::Threads)
kubist_dep(json nlohmann_json::nlohmann_json)
kubist_dep(cli11 CLI11::CLI11)
kubist_dep(expected tl::expected)
kubist_dep(boost Boost::headers)

if(KUBIST_TESTS)
  find_package(doctest 2.4 CONFIG REQUIRED)
  kubist_dep(doctest doctest::doctest)
  find_package(yaml-cpp 0.7 CONFIG REQUIRED)  # judges what the data layer reads and writes
endif()

if(KUBIST_SYSTEM_LIBS)
  include(${CMAKE_CURRENT_LIST_DIR}/DepsSystem.cmake)
else()
  include(${CMAKE_CURRENT_LIST_DIR}/DepsStatic.cmake)
endif()
