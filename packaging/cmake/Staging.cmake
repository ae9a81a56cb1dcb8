# CPack runs this on what it is about to pack: what differs between a package and `cmake --install`.

# Packages carry compressed man pages (Debian policy 12.1); others leave that to the distributor.
file(GLOB_RECURSE pages "${CPACK_TEMPORARY_DIRECTORY}/*.[157]")
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# The compiler's name is of no use to who runs it.
execute_process(
  COMMAND ${CPACK_KUBIST_STRIP} --remove-section=.comment ${CPACK_TEMPORARY_DIRECTORY}/usr/bin/kubist
  COMMAND_ERROR_IS_FATAL ANY)

set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
if(CPACK_GENERATOR STREQUAL DEB)
  file(REMOVE ${share}/doc/kubist/LICENSE)  # Debian has it in /usr/share/common-licenses
  file(MAKE_DIRECTORY ${share}/lintian/overrides)
  configure_file(${CPACK_KUBIST_OVERRIDES} ${share}/lintian/overrides/kubist COPYONLY)
elseif(CPACK_GENERATOR STREQUAL RPM)
  # Only Debian's zsh reads the other folder.
  file(RENAME ${share}/zsh/vendor-completions ${share}/zsh/site-functions)
endif()

# The same bytes from the same files.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(
    COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
    COMMAND_ERROR_IS_FATAL ANY)
endif()
