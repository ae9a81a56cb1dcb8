# CPack runs this on what it is about to pack: packages carry compressed man pages (Debian policy 12.1), while
# `cmake --install` leaves that to the distributor.
file(GLOB_RECURSE pages "${CPACK_TEMPORARY_DIRECTORY}/*.[157]")
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
