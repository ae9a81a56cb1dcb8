#include "error_text.hpp"

#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using util::cat;

std::string prefix_of(const util::Error& error) {
  return error.http_status == 0 || error.reason.empty()
             ? ""
             : cat("Error from server (", error.reason, "): ");
}

/// All but the details: a place, the message, the hint.
std::string own_text(util::Error error) {
  error.details.clear();
  error.message = error_message(error);
  return error.to_string();
}

}  // namespace

std::string error_message(const util::Error& error) {
  std::string message = error.message;
  const std::string named = cat(error.request, ": ");
  const std::size_t at = error.request.empty() ? std::string::npos : message.find(named);
  return at == std::string::npos ? message : message.erase(at, named.size());
}

std::string error_text(const util::Error& error, std::string_view about) {
  const std::string prefix = prefix_of(error);
  std::string text = cat(prefix.empty() ? "error: " : prefix, about, own_text(error));
  for (const util::Error& detail : error.details) {
    text += cat('\n', prefix_of(detail), own_text(detail));
  }
  return text;
}

}  // namespace kubist::cli
