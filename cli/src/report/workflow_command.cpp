#include "report/workflow_command.hpp"

#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

// The runner ends a line at CR, too. So CR is kept here, where printable() would show it.
std::string escaped(std::string_view text) {
  std::string result = util::replace_all(text, "%", "%25");
  result = util::replace_all(result, "\r", "%0D");
  return util::printable(util::replace_all(result, "\n", "%0A"));
}

std::string escaped_property(std::string_view value) {
  return util::replace_all(util::replace_all(escaped(value), ":", "%3A"), ",", "%2C");
}

}  // namespace

std::string workflow_command(
    std::string_view level, const std::vector<std::pair<std::string_view, std::string>>& properties,
    std::string_view text) {
  std::string line = util::cat("::", level);
  for (const auto& [name, value] : properties) {
    line +=
        util::cat(line.size() == level.size() + 2 ? " " : ",", name, '=', escaped_property(value));
  }
  return util::cat(line, "::", escaped(text), '\n');
}

}  // namespace kubist::cli
