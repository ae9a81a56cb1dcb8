#include "failures.hpp"

#include <kubist/http/transport.hpp>
#include <kubist/util/text.hpp>

namespace kubist::metrics {
namespace {

std::string_view reason_of(util::ErrorKind kind) {
  using util::ErrorKind;
  switch (kind) {
    case ErrorKind::forbidden:
      return k_reason_forbidden;
    case ErrorKind::not_found:
      return k_reason_not_found;
    case ErrorKind::timeout:
      return k_reason_timeout;
    case ErrorKind::cancelled:
      return k_reason_cancelled;
    case ErrorKind::unavailable:
      return k_reason_unreachable;
    default:
      return k_reason_error;
  }
}

}  // namespace

Answer answer_of(const util::Error& error) {
  const bool refused = error.reason == http::k_failure_address;
  return {Verdict::inconclusive, refused ? error.reason : std::string(reason_of(error.kind)),
          error.message};
}

bool looks_like_html(std::string_view body) { return util::trim(body).starts_with('<'); }

}  // namespace kubist::metrics
