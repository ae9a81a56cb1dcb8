#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include <kubist/http/request.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// What the local configuration file says of writes by one context of the kubeconfig. The file is
/// read before the first write, and a person is asked once. Any thread.
class ContextGuard {
 public:
  /// Prints the question and reads the answer; nothing: there is no terminal.
  using Ask = std::function<util::Result<std::optional<std::string>>(const std::string& question)>;

  /// `yes`: --yes was given, so that nobody is asked.
  ContextGuard(std::string context, bool yes, Ask ask)
      : m_context(std::move(context)), m_yes(yes), m_ask(std::move(ask)) {}

  /// Denied: the context is read-only, or nobody confirmed; the message has the request, and file
  /// and line that say so. Errors of executors::read_local_config() and of `ask`.
  util::Result<> may_write(const http::Request& request);

 private:
  util::Result<> decide(const std::string& server);

  const std::string m_context;
  const bool m_yes;
  const Ask m_ask;
  std::mutex m_mutex;
  std::optional<util::Result<>> m_decided;
};

/// The terminal of this process: asks on stderr, reads a line of stdin. Nothing where either is
/// none. Errors as of read_answer().
util::Result<std::optional<std::string>> ask_terminal(const std::string& question,
                                                      const std::stop_token& stop);
/// A line of that file, without spaces around it; what there is, where the file ends. Cancelled:
/// stopped while waiting for it.
util::Result<std::string> read_answer(int file, const std::stop_token& stop);

}  // namespace kubist::cli
