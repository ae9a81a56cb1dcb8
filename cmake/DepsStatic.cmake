# KUBIST_SYSTEM_LIBS=OFF: archives only, so that the binary needs nothing but libc. See Deps.cmake.

# Quick once built; its prefix is named by the script and the source versions, so it is asked anew
# on every configure.
message(STATUS "Static libraries: scripts/deps")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/deps)
execute_process(
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/deps ${KUBIST_CROSS_ARCH}
  OUTPUT_VARIABLE KUBIST_DEPS_PREFIX
  OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "scripts/deps failed (see above); KUBIST_SYSTEM_LIBS=ON does without it")
endif()

# kubist_static_dep(NAME ARCHIVE [DEP...]): ARCHIVE is a file of the prefix, else of the system.
# Each is a target of its own, since CMake orders targets on the link line, not bare files.
function(kubist_static_dep name archive)
  set(path ${KUBIST_DEPS_PREFIX}/lib/${archive})
  add_library(deps::${name} STATIC IMPORTED GLOBAL)
  if(EXISTS ${path})
    target_include_directories(deps::${name} INTERFACE ${KUBIST_DEPS_PREFIX}/include)
  else()
    find_library(DEPS_ARCHIVE_${name} NAMES ${archive} REQUIRED)
    mark_as_advanced(DEPS_ARCHIVE_${name})
    set(path ${DEPS_ARCHIVE_${name}})
  endif()
  set_target_properties(deps::${name} PROPERTIES IMPORTED_LOCATION ${path})
  target_link_libraries(deps::${name} INTERFACE ${ARGN})
endfunction()

kubist_static_dep(zlib libz.a)
kubist_static_dep(crypto libcrypto.a Threads::Threads ${CMAKE_DL_LIBS})
kubist_static_dep(openssl libssl.a deps::crypto)
kubist_static_dep(nghttp2 libnghttp2.a)
kubist_static_dep(curl libcurl.a deps::nghttp2 deps::openssl deps::zlib)
kubist_static_dep(yaml libyaml.a)
kubist_static_dep(simdjson libsimdjson.a Threads::Threads)
kubist_static_dep(jsonnet libjsonnet.a)
kubist_static_dep(archive libarchive.a deps::zlib)
kubist_static_dep(re2 libre2.a Threads::Threads)
kubist_static_dep(jemalloc libjemalloc.a Threads::Threads)
target_link_options(deps::jemalloc INTERFACE LINKER:-u,malloc)  # ahead of libc's, wherever it stands on the link line
kubist_dep(httplib Threads::Threads)  # headers alone
target_include_directories(deps::httplib INTERFACE ${KUBIST_DEPS_PREFIX}/include)
if(KUBIST_TESTS)
  kubist_static_dep(yaml_cpp libyaml-cpp.a)
endif()

target_compile_definitions(deps::curl INTERFACE CURL_STATICLIB)
target_compile_definitions(deps::simdjson INTERFACE SIMDJSON_THREADS_ENABLED=1)

# libstdc++ and libgcc go in, and what no path reaches stays out.
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
