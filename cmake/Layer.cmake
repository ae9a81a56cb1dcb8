# kubist_precompiled(NAME HEADER... [PRIVATE_DEPENDS targets]): HEADERs precompiled once, for every target that says
# target_precompile_headers(TARGET REUSE_FROM NAME): one takes 60 MB of disk and some seconds. Named as the compiler
# finds them, not by their path: so the generated header is the same text in every checkout, and ccache shares it.
function(kubist_precompiled name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch/empty.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch)
  target_link_libraries(${name} PRIVATE deps::json deps::expected ${arg_DEPENDS})
  target_precompile_headers(${name} PRIVATE ${arg_UNPARSED_ARGUMENTS})
endfunction()

kubist_precompiled(precompiled <kubist_pch.hpp> DEPENDS kubist_flags)
kubist_precompiled(precompiled_small <kubist_pch.hpp> DEPENDS kubist_small_flags)
if(KUBIST_TESTS)
  kubist_precompiled(precompiled_tests <kubist_pch.hpp> <doctest/doctest.h> DEPENDS deps::doctest kubist_test_flags)
  # Its users are programs, and the compiler asks for the same kind of position independence.
  set_target_properties(precompiled_tests PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(precompiled_tests PRIVATE -fPIE)
endif()

# kubist_layer(NAME DEPENDS kubist::lower ... PRIVATE_DEPENDS deps::x ...)
# One static library of all that lies in lib/NAME/src, with its own include root lib/NAME/include: only what DEPENDS names can be included.
# Every layer but util gets the precompiled header of the standard library and the JSON value. SMALL: see kubist_small_flags.
function(kubist_layer name)
  cmake_parse_arguments(arg "NO_PCH;SMALL" "" "DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  set(small "")
  if(arg_SMALL)
    set(small _small)
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/${name}/include/*.hpp)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/*.cpp)
  add_library(kubist_${name} STATIC ${sources})
  add_library(kubist::${name} ALIAS kubist_${name})
  target_sources(kubist_${name} PUBLIC FILE_SET HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR}/lib/${name}/include FILES ${headers})
  target_link_libraries(kubist_${name} PUBLIC ${arg_DEPENDS}
    PRIVATE ${arg_PRIVATE_DEPENDS} $<BUILD_INTERFACE:kubist${small}_flags>)
  target_include_directories(kubist_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)  # "folder/file.hpp"
  if(NOT arg_NO_PCH)
    target_precompile_headers(kubist_${name} REUSE_FROM precompiled${small})
    target_link_libraries(kubist_${name} PRIVATE $<BUILD_INTERFACE:deps::json>)
  endif()
endfunction()

# kubist_test_program(TARGET LIBRARIES...): what every doctest program is made of.
function(kubist_test_program target)
  target_link_libraries(${target} PRIVATE ${ARGN} test_main test_paths deps::doctest deps::json kubist_test_flags)
  target_precompile_headers(${target} REUSE_FROM precompiled_tests)
endfunction()

# kubist_unit_tests(LAYER): one doctest binary of tests/unit/LAYER/*_test.cpp, label unit. In random order, as all of them.
function(kubist_unit_tests name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${name}/*_test.cpp)
  add_executable(unit_${name} ${sources})
  kubist_test_program(unit_${name} kubist::${name} ${ARGN})
  target_include_directories(unit_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/unit)
  add_test(NAME unit.${name} COMMAND unit_${name})
  set(timeout 900)
  if(KUBIST_SANITIZE)
    set(timeout 2400)
  endif()
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT ${timeout})
endfunction()

# What a run of a test costs, by its name: NAME, seconds and counts, as scripts/test-times writes them. The seconds order
# the tests, the longest first.
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/budgets.tsv KUBIST_BUDGETS REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/budgets.tsv)

# kubist_cluster_test(NAME LABEL STATE TIMEOUT COMMAND...): a test in an instance of the test cluster that it has for
# itself, in the state that it needs (tests/cluster/lane: plain, istio or istio-images).
function(kubist_cluster_test name label state timeout)
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/cluster/lane ${name} ${state} ${ARGN})
  set(seconds 30)
  foreach(line IN LISTS KUBIST_BUDGETS)
    if(line MATCHES "^([^\t]+)\t([0-9]+)" AND CMAKE_MATCH_1 STREQUAL name)
      set(seconds ${CMAKE_MATCH_2})
    endif()
  endforeach()
  set(instance cluster)
  if(state STREQUAL istio)
    set(instance istio)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${timeout} COST ${seconds} RESOURCE_GROUPS ${instance}:1)
  if(NOT state STREQUAL plain)
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED istio)
  endif()
endfunction()

# kubist_integration_tests(NAME [STATE state] [BY_FILE] [LIBRARIES target...] [SOURCES file...] [OPTIONS doctest's...]):
# one doctest binary of tests/integration/NAME/*.cpp, label integration, with layer NAME where there is one: one test, or
# one for each file.
function(kubist_integration_tests name)
  cmake_parse_arguments(arg "BY_FILE" "STATE" "LIBRARIES;SOURCES;OPTIONS" ${ARGN})
  if(NOT arg_STATE)
    set(arg_STATE plain)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/integration/${name}/*.cpp)
  add_executable(integration_${name} ${sources} ${arg_SOURCES})
  kubist_test_program(integration_${name} $<TARGET_NAME_IF_EXISTS:kubist::${name}> ${arg_LIBRARIES} test_live)
  add_dependencies(integration_${name} kubist)
  if(NOT arg_BY_FILE)
    kubist_cluster_test(integration.${name} integration ${arg_STATE} 1500
      $<TARGET_FILE:integration_${name}> ${arg_OPTIONS})
    return()
  endif()
  foreach(file IN LISTS sources)
    file(STRINGS ${file} cases REGEX "^TEST_CASE")
    file(STRINGS ${file} skipped REGEX "doctest::skip\\(\\)")
    list(LENGTH cases count)
    list(LENGTH skipped skips)
    if(count GREATER skips)  # a file of cases that scripts/test --full runs is no test of its own
      get_filename_component(part ${file} NAME_WE)
      string(REGEX REPLACE "_test$" "" part ${part})
      kubist_cluster_test(integration.${name}.${part} integration ${arg_STATE} 1200
        $<TARGET_FILE:integration_${name}> --source-file=*/${name}/${part}_test.cpp)
    endif()
  endforeach()
endfunction()

# kubist_e2e_tests(NAME LIBRARIES...): one doctest binary of tests/e2e/NAME_test.cpp, label e2e. As integration
# tests, and the agent's image must be there (tests/cluster/cluster kubist-image).
function(kubist_e2e_tests name)
  add_executable(e2e_${name} ${PROJECT_SOURCE_DIR}/tests/e2e/${name}_test.cpp)
  kubist_test_program(e2e_${name} ${ARGN} test_live)
  add_dependencies(e2e_${name} kubist)
  kubist_cluster_test(e2e.${name} e2e plain 1500 $<TARGET_FILE:e2e_${name}>)
endfunction()

# kubist_slice(NAME STATE COMMAND... [ENVIRONMENT NAME=VALUE...]): minutes of what CI has no time for as a whole (kill
# points, sizes, seeds, rounds), 3 mostly and 4 at most. The first line of tests/slices.tsv names the one that CI runs.
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/slices.tsv KUBIST_SLICES REGEX "^[a-z]")
list(TRANSFORM KUBIST_SLICES REPLACE "\t.*" "")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/slices.tsv)
function(kubist_slice name state)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ENVIRONMENT")
  list(FIND KUBIST_SLICES ${name} at)
  if(at LESS 0)
    message(FATAL_ERROR "tests/slices.tsv has no line for ${name}: add it, with the word never")
  endif()
  set(labels slice)
  if(at EQUAL 0)
    list(APPEND labels integration)
  endif()
  kubist_cluster_test(slice.${name} "${labels}" ${state} 400 ${arg_UNPARSED_ARGUMENTS})
  set_tests_properties(slice.${name} PROPERTIES ENVIRONMENT "${arg_ENVIRONMENT}")
  set_property(GLOBAL APPEND PROPERTY KUBIST_SLICE_NAMES ${name})
endfunction()
