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
if(KUBIST_TESTS)
  kubist_precompiled(precompiled_tests <kubist_pch.hpp> <doctest/doctest.h> DEPENDS deps::doctest kubist_test_flags)
  # Its users are programs, and the compiler asks for the same kind of position independence.
  set_target_properties(precompiled_tests PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(precompiled_tests PRIVATE -fPIE)
endif()

# kubist_layer(NAME DEPENDS kubist::lower ... PRIVATE_DEPENDS deps::x ...)
# One static library of all that lies in lib/NAME/src, with its own include root lib/NAME/include: only what DEPENDS names can be included.
# Every layer but util gets the precompiled header of the standard library and the JSON value.
function(kubist_layer name)
  cmake_parse_arguments(arg "NO_PCH" "" "DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/${name}/include/*.hpp)
  file(GLOB sources CONFIGURE_DEPENDS src/*.cpp)
  add_library(kubist_${name} STATIC ${sources})
  add_library(kubist::${name} ALIAS kubist_${name})
  set_target_properties(kubist_${name} PROPERTIES EXPORT_NAME ${name})
  target_sources(kubist_${name} PUBLIC FILE_SET HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR}/lib/${name}/include FILES ${headers})
  target_link_libraries(kubist_${name} PUBLIC ${arg_DEPENDS}
    PRIVATE ${arg_PRIVATE_DEPENDS} $<BUILD_INTERFACE:kubist_flags>)
  if(NOT arg_NO_PCH)
    target_precompile_headers(kubist_${name} REUSE_FROM precompiled)
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
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()

# kubist_integration_tests(NAME [LAUNCHER COMMAND...] [LIBRARIES target...] [OPTIONS doctest's...]): one doctest binary of
# tests/integration/NAME/*.cpp, label integration, with layer NAME where there is one. Runs in the network namespace
# of the test cluster, which must be up; LAUNCHER is what takes it there: with-istio, maybe to a cluster of its own. One
# test at a time is in a cluster.
function(kubist_integration_tests name)
  cmake_parse_arguments(arg "" "" "LAUNCHER;LIBRARIES;OPTIONS" ${ARGN})
  if(NOT arg_LAUNCHER)
    set(arg_LAUNCHER ${PROJECT_SOURCE_DIR}/tests/cluster/cluster exec)
    set(lock cluster)
  else()
    set(lock istio-cluster)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/integration/${name}/*.cpp)
  add_executable(integration_${name} ${sources})
  kubist_test_program(integration_${name} $<TARGET_NAME_IF_EXISTS:kubist::${name}> ${arg_LIBRARIES} ${arg_UNPARSED_ARGUMENTS} test_live)
  add_test(NAME integration.${name}
    COMMAND ${arg_LAUNCHER} $<TARGET_FILE:integration_${name}> ${arg_OPTIONS})
  set_tests_properties(integration.${name} PROPERTIES LABELS integration TIMEOUT 600 RESOURCE_LOCK ${lock})
endfunction()

# kubist_e2e_tests(NAME LIBRARIES...): one doctest binary of tests/e2e/NAME_test.cpp, label e2e. As integration
# tests, and the agent's image must be there (tests/cluster/cluster kubist-image).
function(kubist_e2e_tests name)
  add_executable(e2e_${name} ${PROJECT_SOURCE_DIR}/tests/e2e/${name}_test.cpp)
  kubist_test_program(e2e_${name} ${ARGN} test_live)
  add_test(NAME e2e.${name}
    COMMAND ${PROJECT_SOURCE_DIR}/tests/cluster/cluster exec $<TARGET_FILE:e2e_${name}>)
  set_tests_properties(e2e.${name} PROPERTIES LABELS e2e TIMEOUT 900 RESOURCE_LOCK cluster)
endfunction()
