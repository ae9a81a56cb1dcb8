# Flags for our own code only, linked privately everywhere: an installed library must not force them on its users.
add_library(kubist_flags INTERFACE)
target_compile_features(kubist_flags INTERFACE cxx_std_20)
target_compile_options(kubist_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Woverloaded-virtual
  -Wconversion -Wno-sign-conversion # sizes and offsets of std and C interfaces mix signs everywhere
  -Wno-missing-field-initializers # designated initializers name what they set; the rest has defaults
  -pthread # some libraries ask for it, and what is precompiled once must be compiled alike
  -ffunction-sections -fdata-sections)
if(KUBIST_WERROR)
  target_compile_options(kubist_flags INTERFACE -Werror)
endif()
if(CMAKE_BUILD_TYPE STREQUAL Release)
  # What gcc 12 says at -O2 of the standard library's and nlohmann's inlined code; errors at -O0 (dev, asan, tsan).
  target_compile_options(kubist_flags INTERFACE -Wno-error=maybe-uninitialized -Wno-error=restrict
    -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=stringop-overread -Wno-error=free-nonheap-object)
endif()
if(KUBIST_SANITIZE)
  target_compile_options(kubist_flags INTERFACE -fsanitize=${KUBIST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(kubist_flags INTERFACE -fsanitize=${KUBIST_SANITIZE})
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  # char has a sign, as where the tests run. And no notes of gcc about what it passed otherwise before version 10.
  target_compile_options(kubist_flags INTERFACE -fsigned-char -Wno-psabi)
endif()
find_program(KUBIST_MOLD mold)
if(KUBIST_MOLD AND CMAKE_BUILD_TYPE STREQUAL Debug)
  target_link_options(kubist_flags INTERFACE -fuse-ld=mold)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Layers that wait for the API server, not for the processor, are compiled for size: 30 % less code than with -O2.
add_library(kubist_small_flags INTERFACE)
target_link_libraries(kubist_small_flags INTERFACE kubist_flags)
target_compile_options(kubist_small_flags INTERFACE $<$<CONFIG:Release>:-Os>)

# Tests and fuzzers run once: what is tested is optimised, they are not.
add_library(kubist_test_flags INTERFACE)
target_link_libraries(kubist_test_flags INTERFACE kubist_flags)
target_compile_options(kubist_test_flags INTERFACE -O0)
