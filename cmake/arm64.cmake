# Toolchain of the preset release-arm64, on amd64: Debian's cross compiler (scripts/packages --cross) and the libraries of
# scripts/sysroot. What the build makes and runs itself runs under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(KUBIST_CROSS_ARCH arm64)  # as Debian names it

# In the environment for scripts/deps, and for CMake's trial projects, which read this file again.
if(NOT DEFINED ENV{KUBIST_SYSROOT})
  execute_process(
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/../scripts/sysroot arm64
    OUTPUT_VARIABLE folder
    OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  set(ENV{KUBIST_SYSROOT} ${folder})
endif()
set(CMAKE_SYSROOT $ENV{KUBIST_SYSROOT})

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
