#include <kubist/util/error.hpp>

namespace kubist::util {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::internal:
      return "internal";
    case ErrorKind::invalid:
      return "invalid";
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::forbidden:
      return "forbidden";
    case ErrorKind::conflict:
      return "conflict";
    case ErrorKind::unavailable:
      return "unavailable";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::cancelled:
      return "cancelled";
    case ErrorKind::denied:
      return "denied";
    case ErrorKind::not_ready:
      return "not_ready";
  }
  return "internal";
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

Error make_error(ErrorKind kind, SourcePos pos, std::string message, std::string hint) {
  Error error = make_error(kind, std::move(message), std::move(hint));
  error.pos = std::move(pos);
  return error;
}

Error with_context(Error error, std::string_view context) {
  error.message = std::string(context) + ": " + error.message;
  return error;
}

}  // namespace kubist::util
