# Writes FOLDER/NAME.{hpp,cpp} with the texts of FILES (separated by '|'): see Embed.cmake.
string(REPLACE "|" ";" files "${FILES}")
file(WRITE ${FOLDER}/${NAME}.hpp "#pragma once
#include <string_view>

namespace kubist::embedded {
/// The text of an embedded file by its name; empty when there is none.
std::string_view ${NAME}(std::string_view file);
}  // namespace kubist::embedded
")
set(source ${FOLDER}/${NAME}.cpp)
file(WRITE ${source} "#include \"${NAME}.hpp\"

namespace kubist::embedded {
std::string_view ${NAME}(std::string_view file) {
")
foreach(path IN LISTS files)
  get_filename_component(file ${path} NAME)
  file(READ ${path} text)
  file(APPEND ${source} "  if (file == \"${file}\") {
    return R\"KUBIST_EMBED(")
  file(APPEND ${source} "${text}")
  file(APPEND ${source} ")KUBIST_EMBED\";
  }
")
endforeach()
file(APPEND ${source} "  return {};
}
}  // namespace kubist::embedded
")
