# `cpack` in the build folder makes the packages of what is installed; `cpack -G DEB`, RPM or TGZ makes one of them.
# Include this at the end of the root CMakeLists.txt, after every install().

include(GNUInstallDirs)
set(CPACK_GENERATOR DEB RPM TGZ)
set(CPACK_PACKAGE_NAME kubist)
set(CPACK_PACKAGE_VENDOR kubist)
# A .deb must name an address: this one is of a domain that can have none (RFC 2606).
set(CPACK_PACKAGE_CONTACT "The kubist authors <maintainers@kubist.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Keeps whole Kubernetes environments in their desired state")
set(CPACK_PACKAGE_DESCRIPTION
"kubist keeps environments, from projects and clusters down to routes and
deployments, in their desired state. It only talks to Kubernetes over REST,
keeps everything that it knows in the cluster, and runs once or keeps watching.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
# The end of the .tar.gz's name.
set(CPACK_SYSTEM_NAME linux-${CMAKE_SYSTEM_PROCESSOR})
string(REPLACE x86_64 amd64 CPACK_SYSTEM_NAME ${CPACK_SYSTEM_NAME})
string(REPLACE aarch64 arm64 CPACK_SYSTEM_NAME ${CPACK_SYSTEM_NAME})
set(CPACK_PACKAGE_RELOCATABLE OFF)
set(CPACK_KUBIST_STRIP ${CMAKE_STRIP})
set(CPACK_KUBIST_OVERRIDES ${PROJECT_SOURCE_DIR}/packaging/debian/lintian-overrides)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/cmake/Staging.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# From the binary itself: libc6 for the static build, the libraries with KUBIST_SYSTEM_LIBS=ON.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
if(KUBIST_CROSS_ARCH)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${KUBIST_CROSS_ARCH})
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_KUBIST_READELF ${CMAKE_READELF})
  list(APPEND CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/cmake/CrossDepends.cmake)
endif()

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_DESCRIPTION ${CPACK_PACKAGE_DESCRIPTION})
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RPM_SPEC_INSTALL_POST :)  # all is compressed and stripped already
# Others own these folders.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/bash-completion /usr/share/bash-completion/completions
  /usr/share/fish /usr/share/fish/vendor_completions.d /usr/share/man /usr/share/man/man1 /usr/share/man/man5
  /usr/share/man/man7 /usr/share/zsh /usr/share/zsh/site-functions)
# CPack knows no word for the first one. The others: the same bytes on every machine, where SOURCE_DATE_EPOCH is set.
set(CPACK_RPM_SPEC_MORE_DEFINE "Recommends: ca-certificates
%define _buildhost kubist.invalid
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _build_id_links none")

# Debian's policy wants both in /usr/share/doc/PACKAGE, the changelog compressed. Its date follows
# SOURCE_DATE_EPOCH where that is set.
string(TIMESTAMP KUBIST_CHANGELOG_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
find_program(GZIP_PROGRAM gzip REQUIRED)
mark_as_advanced(GZIP_PROGRAM)
configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in
  ${PROJECT_BINARY_DIR}/packaging/changelog @ONLY)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/packaging/changelog.gz
  COMMAND ${GZIP_PROGRAM} -9nkf ${PROJECT_BINARY_DIR}/packaging/changelog
  DEPENDS ${PROJECT_BINARY_DIR}/packaging/changelog
  VERBATIM)
add_custom_target(changelog ALL DEPENDS ${PROJECT_BINARY_DIR}/packaging/changelog.gz)
install(FILES
  ${PROJECT_SOURCE_DIR}/LICENSE
  ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  ${PROJECT_SOURCE_DIR}/packaging/debian/copyright
  ${PROJECT_BINARY_DIR}/packaging/changelog.gz
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kubist)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kubist
  FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png PATTERN site EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kubist)

# The JSON schemas of kubist's kinds, for editors and checks.
find_program(KUBIST_PYTHON python3 REQUIRED)
set(schemas ${PROJECT_BINARY_DIR}/packaging/schemas)
add_custom_command(
  OUTPUT ${schemas}/all.json
  COMMAND ${KUBIST_PYTHON} ${PROJECT_SOURCE_DIR}/packaging/schemas ${schemas} ${CMAKE_CROSSCOMPILING_EMULATOR}
    $<TARGET_FILE:kubist>
  DEPENDS kubist ${PROJECT_SOURCE_DIR}/packaging/schemas
  VERBATIM)
add_custom_target(schemas ALL DEPENDS ${schemas}/all.json)
install(DIRECTORY ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/kubist)

# Whoever gets a static binary gets the notices of what is in it, as the Debian packages that it was
# linked from have them. Boost and libstdc++ ask for none in object code.
if(NOT KUBIST_SYSTEM_LIBS)
  set(KUBIST_NOTICES ${PROJECT_BINARY_DIR}/packaging/third-party-notices)
  file(WRITE ${KUBIST_NOTICES} "kubist contains these libraries.\n")
  foreach(package libcurl4-openssl-dev libssl-dev libnghttp2-dev zlib1g-dev libarchive-dev libyaml-dev libre2-dev
      libsimdjson-dev libjsonnet-dev libcpp-httplib-dev libjemalloc-dev nlohmann-json3-dev libcli11-dev libexpected-dev)
    if(EXISTS /usr/share/doc/${package}/copyright)
      file(READ /usr/share/doc/${package}/copyright notice)
      file(APPEND ${KUBIST_NOTICES} "\n\n======== ${package}\n\n${notice}")
    else()
      message(WARNING "no /usr/share/doc/${package}/copyright: packages of this build lack that library's notice")
    endif()
  endforeach()
  install(FILES ${KUBIST_NOTICES} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kubist)
endif()

include(CPack)
