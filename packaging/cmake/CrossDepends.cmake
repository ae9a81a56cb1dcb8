# CPack runs this on the .deb of a cross build, for which dpkg-shlibdeps knows no libc. kubist needs nothing else: this
# asks for the version that has the newest symbol.
execute_process(
  COMMAND ${CPACK_KUBIST_READELF} --version-info ${CPACK_TEMPORARY_DIRECTORY}/usr/bin/kubist
  OUTPUT_VARIABLE symbols
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "GLIBC_[0-9.]+" versions "${symbols}")
if(NOT versions)
  message(FATAL_ERROR "${CPACK_KUBIST_READELF} finds no symbol of libc in kubist: is it linked statically as a whole?")
endif()
list(SORT versions COMPARE NATURAL ORDER DESCENDING)
list(GET versions 0 newest)
string(REPLACE "GLIBC_" "" newest ${newest})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${newest})")
