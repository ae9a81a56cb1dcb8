# kubist_embed(TARGET NAME FILES...): makes NAME.hpp with one function
#   std::string_view kubist::embedded::NAME(std::string_view file)
# that returns the text of one of the files (by file name), empty when there is none. Rebuilt when a file changes.
function(kubist_embed target name)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  set(script ${PROJECT_SOURCE_DIR}/cmake/EmbedScript.cmake)
  list(JOIN paths "|" joined)
  add_custom_command(OUTPUT ${folder}/${name}.cpp ${folder}/${name}.hpp
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DFOLDER=${folder} "-DFILES=${joined}" -P ${script}
    DEPENDS ${paths} ${script}
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${folder}/${name}.cpp ${folder}/${name}.hpp)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
