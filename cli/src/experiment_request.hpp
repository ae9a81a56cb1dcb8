#pragma once
#include "request.hpp"

namespace kubist::cli {

/// Experiments, for commands that ask them or show them.
const Askable& experiment();

/// One line of where an experiment stands: "button: Running, Collecting: ...".
std::string experiment_line(const data::Json& experiment);
/// 0 Finished, 4 Aborted, 3 under way.
int experiment_exit_code(const data::Json& experiment);

}  // namespace kubist::cli
