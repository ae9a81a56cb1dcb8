# KUBIST_SYSTEM_LIBS=OFF: archives only, so that the binary needs nothing but libc. See Deps.cmake.

# Quick once built; its prefix is named by the script and the source versions, so it is asked anew
# on every configure.
message(STATUS "Static libraries: scripts/deps")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/deps)
execute_process(
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/deps
  OUTPUT_VARIABLE KUBIST_DEPS_PREFIX
  OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "scripts/deps failed (see above); KUBIST_SYSTEM_LIBS=ON does without it")
endif()

# kubist_static_dep(NAME ARCHIVE...): each archive is a file of the prefix, else of the system.
function(kubist_static_dep name)
  set(paths)
  foreach(archive IN LISTS ARGN)
    set(path ${KUBIST_DEPS_PREFIX}/lib/${archive})
    if(NOT EXISTS ${path})
      find_library(DEPS_ARCHIVE_${archive} NAMES ${archive} REQUIRED)
      mark_as_advanced(DEPS_ARCHIVE_${archive})
      set(path ${DEPS_ARCHIVE_${archive}})
    endif()
    list(APPEND paths ${path})
  endforeach()
  kubist_dep(${name} ${paths})
endfunction()

kubist_static_dep(zlib libz.a)
kubist_static_dep(openssl libssl.a libcrypto.a)
kubist_static_dep(curl libcurl.a libnghttp2.a)
kubist_static_dep(yaml libyaml.a)
kubist_static_dep(simdjson libsimdjson.a)
kubist_static_dep(jsonnet libjsonnet.a)
kubist_static_dep(archive libarchive.a)
kubist_static_dep(re2 libre2.a)

target_link_libraries(deps::openssl INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(deps::curl INTERFACE deps::openssl deps::zlib)
target_link_libraries(deps::archive INTERFACE deps::zlib)
target_link_libraries(deps::re2 INTERFACE Threads::Threads)
target_link_libraries(deps::simdjson INTERFACE Threads::Threads)

foreach(name IN ITEMS curl archive simdjson)
  target_include_directories(deps::${name} INTERFACE ${KUBIST_DEPS_PREFIX}/include)
endforeach()
target_compile_definitions(deps::curl INTERFACE CURL_STATICLIB)
target_compile_definitions(deps::simdjson INTERFACE SIMDJSON_THREADS_ENABLED=1)

# libstdc++ and libgcc go in, and what no path reaches stays out.
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
