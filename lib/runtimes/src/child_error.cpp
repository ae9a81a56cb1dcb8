#include <cstring>

#include <signal.h>

#include <kubist/runtimes/child.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::runtimes {

using util::cat;
using util::ErrorKind;

std::string_view to_string(LimitHit limit) {
  static constexpr util::Word<LimitHit> k_words[] = {
      {LimitHit::none, "none"}, {LimitHit::cpu, "cpu"},       {LimitHit::memory, "memory"},
      {LimitHit::wall, "wall"}, {LimitHit::output, "output"}, {LimitHit::file_size, "file_size"}};
  return util::word_of(k_words, limit);
}

namespace {

std::string with_tail(const std::string& message, const std::string& tail) {
  auto trimmed = util::trim(tail);
  return trimmed.empty() ? message : cat(message, ": ", util::printable(trimmed));
}

std::string signal_text(int number) {
  const char* name = ::sigabbrev_np(number);
  std::string text = name ? cat("SIG", name) : cat("signal ", number);
  if (number == SIGSEGV || number == SIGBUS) {
    return text + ", most likely from nesting or recursion that is too deep";
  }
  return number == SIGKILL ? text + ", most likely for want of memory" : text;
}

}  // namespace

util::Error child_error(const ChildResult& result, const std::string& what, const Limits& limits) {
  auto make = [&](ErrorKind kind, const std::string& text, const char* reason) {
    return util::make_error(kind, with_tail(text, result.stderr_tail), "", std::string(reason));
  };
  if (result.cancelled) {
    return make(ErrorKind::cancelled, cat(what, " was interrupted"), "Cancelled");
  }
  switch (result.limit) {
    case LimitHit::cpu:
      return make(ErrorKind::timeout,
                  cat(what, " used more than ", limits.cpu.count(), " s of processor time"),
                  "CPULimit");
    case LimitHit::wall:
      return make(ErrorKind::timeout, cat(what, " took longer than ", limits.wall.count(), " ms"),
                  "Timeout");
    case LimitHit::memory:
      return make(ErrorKind::invalid,
                  cat(what, " needed more than ",
                      (limits.data_bytes > 0 ? limits.data_bytes : limits.memory_bytes) >> 20U,
                      " MiB of memory"),
                  "MemoryLimit");
    case LimitHit::output:
      return make(ErrorKind::invalid,
                  cat(what, " printed more than ", limits.output_bytes >> 10U, " KiB"),
                  "OutputLimit");
    case LimitHit::file_size:
      return make(ErrorKind::invalid,
                  cat(what, " wrote a file of more than ", limits.file_bytes >> 20U, " MiB"),
                  "FileSizeLimit");
    case LimitHit::none:
      break;
  }
  if (result.signal != 0) {
    return make(ErrorKind::invalid, cat(what, " crashed (", signal_text(result.signal), ")"),
                "Crashed");
  }
  return make(ErrorKind::invalid, cat(what, " failed with exit code ", result.exit_code),
              "PolicyFailed");
}

}  // namespace kubist::runtimes
