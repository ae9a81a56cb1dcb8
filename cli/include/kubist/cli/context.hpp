#pragma once
#include <memory>
#include <stop_token>
#include <string>

#include <kubist/cli/command.hpp>
#include <kubist/cli/sink.hpp>
#include <kubist/util/log.hpp>

namespace kubist::cli {

/// What a command may use of the world. Built by run() for one command; one thread, but log() may
/// be used by any.
class Context {
 public:
  Context(const Arguments& arguments, Sink& out, Sink& err, std::stop_token stop);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The result goes here; nothing else does.
  Sink& out() { return m_out; }
  /// Messages, warnings and traces for people.
  const util::Log& log() const { return m_log; }
  /// Asked to stop by a signal.
  const std::stop_token& stop() const { return m_stop; }
  const Arguments& arguments() const { return m_arguments; }

  /// Is standard output / standard error a terminal?
  bool out_is_terminal() const;
  bool err_is_terminal() const;
  /// May results (out) or messages (err) use colour: --color, NO_COLOR, TERM, terminal.
  bool out_color() const;
  bool err_color() const;

 private:
  const Arguments& m_arguments;
  Sink& m_out;
  util::Log m_log;
  std::stop_token m_stop;
};

}  // namespace kubist::cli
