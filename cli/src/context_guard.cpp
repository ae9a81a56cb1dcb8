#include "context_guard.hpp"

#include <iostream>

#include <poll.h>
#include <unistd.h>

#include <kubist/executors/local_config.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;
using util::ErrorKind;

namespace {

util::Result<> denied(std::string message, std::string hint, const char* reason) {
  return util::fail(
      util::make_error(ErrorKind::denied, std::move(message), std::move(hint), reason));
}

}  // namespace

util::Result<> ContextGuard::decide(const std::string& server) {
  auto config = executors::read_local_config();
  if (!config) {
    return util::fail(
        util::with_context(config.error(), cat("the rules of context \"", m_context, "\"")));
  }
  const auto found = config->contexts.find(m_context);
  if (found == config->contexts.end()) {
    return {};
  }
  const auto& [read_only, confirm] = found->second;
  if (read_only) {
    return denied(cat("context \"", m_context, "\" is read-only: ", util::to_string(*read_only)),
                  "Take readOnly away there to write. --dry-run=server writes nothing.",
                  "ReadOnlyContext");
  }
  if (!confirm || m_yes) {
    return {};
  }
  const std::string says_so = util::to_string(*confirm);
  KUBIST_TRY(const auto answer,
             m_ask(cat(says_so, " wants a confirmation of writes to ", server,
                       ".\nType the context's name, ", m_context, ", to go on: ")));
  if (!answer) {
    return denied(cat("writes by context \"", m_context,
                      "\" want a confirmation, and there is "
                      "no terminal: ",
                      says_so),
                  "--yes confirms. --dry-run=server writes nothing.", "NotConfirmed");
  }
  return *answer == m_context
             ? util::Result<>{}
             : denied(cat("writes by context \"", m_context, "\" were not confirmed: ", says_so),
                      cat("The answer must be ", m_context, "."), "NotConfirmed");
}

util::Result<> ContextGuard::may_write(const http::Request& request) {
  if (m_context.empty()) {
    return {};  // only flags; an account in a pod has the context in-cluster
  }
  const std::lock_guard lock(m_mutex);
  const std::string url = http::redacted(request.url);
  if (!m_decided) {
    m_decided = decide(url.substr(0, url.find('/', url.find("://") + 3)));
  }
  if (*m_decided) {
    return {};
  }
  return util::fail(
      util::with_context(m_decided->error(), cat(request.method, ' ', url, " was not sent")));
}

util::Result<std::string> read_answer(int file, const std::stop_token& stop) {
  constexpr int k_wait_ms = 100;
  std::string line;
  while (!stop.stop_requested()) {
    pollfd waiting{file, POLLIN, 0};
    if (::poll(&waiting, 1, k_wait_ms) <= 0) {
      continue;  // a signal is another thread's, which requests the stop
    }
    char letter = 0;
    if (::read(file, &letter, 1) != 1 || letter == '\n') {
      return std::string(util::trim(line));
    }
    line += letter;
  }
  return util::fail(ErrorKind::cancelled, "stopped before there was an answer");
}

util::Result<std::optional<std::string>> ask_terminal(const std::string& question,
                                                      const std::stop_token& stop) {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) {
    return std::nullopt;
  }
  std::cerr << util::printable(question) << std::flush;
  auto answer = read_answer(STDIN_FILENO, stop);
  if (!answer) {
    std::cerr << '\n' << std::flush;
    return util::fail(answer.error());
  }
  return std::optional(*std::move(answer));
}

}  // namespace kubist::cli
