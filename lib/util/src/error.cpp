#include <kubist/util/error.hpp>
#include <kubist/util/words.hpp>

namespace kubist::util {

std::string_view to_string(ErrorKind kind) {
  static constexpr util::Word<ErrorKind> k_words[] = {{ErrorKind::internal, "internal"},
                                                      {ErrorKind::invalid, "invalid"},
                                                      {ErrorKind::usage, "usage"},
                                                      {ErrorKind::not_found, "not_found"},
                                                      {ErrorKind::forbidden, "forbidden"},
                                                      {ErrorKind::conflict, "conflict"},
                                                      {ErrorKind::unavailable, "unavailable"},
                                                      {ErrorKind::timeout, "timeout"},
                                                      {ErrorKind::cancelled, "cancelled"},
                                                      {ErrorKind::denied, "denied"},
                                                      {ErrorKind::not_ready, "not_ready"}};
  return util::word_of(k_words, kind);
}

std::string to_string(const SourcePos& pos) {
  std::string text = pos.origin;
  if (pos.line > 0) {
    text += ':' + std::to_string(pos.line);
    if (pos.column > 0) {
      text += ':' + std::to_string(pos.column);
    }
  }
  return text;
}

std::string Error::to_string() const {
  std::string text;
  if (!pos.origin.empty()) {
    text = util::to_string(pos) + ": ";
  }
  text += message;
  if (!hint.empty()) {
    text += "\n  " + hint;
  }
  for (const Error& detail : details) {
    text += '\n' + detail.to_string();
  }
  return text;
}

Error make_error(ErrorKind kind, std::string message, std::string hint, std::string reason) {
  Error error;
  error.kind = kind;
  error.message = std::move(message);
  error.hint = std::move(hint);
  error.reason = std::move(reason);
  return error;
}

Error make_error(ErrorKind kind, SourcePos pos, std::string message, std::string hint,
                 std::string reason) {
  Error error = make_error(kind, std::move(message), std::move(hint), std::move(reason));
  error.pos = std::move(pos);
  return error;
}

Error with_context(Error error, std::string_view context) {
  error.message = std::string(context) + ": " + error.message;
  return error;
}

Error with_reason(Error error, std::string_view reason) {
  error.reason = reason;
  return error;
}

Error with_default_reason(Error error, std::string_view reason) {
  return error.reason.empty() ? with_reason(std::move(error), reason) : std::move(error);
}

}  // namespace kubist::util
