#pragma once
#include <string>
#include <string_view>

#include "askable.hpp"

namespace kubist::cli {

/// How `status` shows a release or an experiment.
struct StatusView {
  std::string_view watched;                 ///< what --watch shows: "lines"
  std::string (*lines)(const data::Json&);  ///< for people
  data::Json (*json)(const data::Json&);    ///< for programs
};

/// The command that shows where one stands: "canary status NAME", with --output, --watch and
/// --timeout. With --watch it shows each change (in place where standard output is a terminal)
/// until it is over. The exit code is that of the kind.
CommandSpec status_command(const Askable& what, const StatusView& view, std::string_view path,
                           std::string_view summary, std::string_view details,
                           std::vector<Example> examples);

}  // namespace kubist::cli
