#include <unistd.h>

#include <kubist/cli/context.hpp>
#include <kubist/util/fs.hpp>

namespace kubist::cli {
namespace {

bool color(const Arguments& arguments, bool terminal) {
  const std::string when = arguments.text("color");
  if (when != "auto") {
    return when == "always";
  }
  return terminal && util::environment("NO_COLOR").empty() && util::environment("TERM") != "dumb";
}

}  // namespace

Context::Context(const Arguments& arguments, Sink& out, Sink& err, std::stop_token stop)
    : m_arguments(arguments),
      m_out(out),
      m_log(static_cast<int>(arguments.number("v")),
            [&err](std::string_view line) {
              err.write(line);
              err.flush();
            }),
      m_stop(std::move(stop)) {}
Context::~Context() = default;

bool Context::out_is_terminal() const { return ::isatty(STDOUT_FILENO) == 1; }
bool Context::err_is_terminal() const { return ::isatty(STDERR_FILENO) == 1; }
bool Context::out_color() const { return color(m_arguments, out_is_terminal()); }
bool Context::err_color() const { return color(m_arguments, err_is_terminal()); }

}  // namespace kubist::cli
