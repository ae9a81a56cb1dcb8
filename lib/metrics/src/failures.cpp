#include "failures.hpp"

#include <kubist/http/transport.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::metrics {
namespace {

std::string_view reason_of(util::ErrorKind kind) {
  using util::ErrorKind;
  static constexpr util::Word<ErrorKind> k_reasons[] = {
      {ErrorKind::forbidden, k_reason_forbidden},
      {ErrorKind::not_found, k_reason_not_found},
      {ErrorKind::timeout, k_reason_timeout},
      {ErrorKind::cancelled, k_reason_cancelled},
      {ErrorKind::unavailable, k_reason_unreachable}};
  const std::string_view reason = util::word_of(k_reasons, kind);
  return reason.empty() ? k_reason_error : reason;
}

}  // namespace

Answer answer_of(const util::Error& error) {
  const bool refused = error.reason == http::k_failure_address;
  return {Verdict::inconclusive, refused ? error.reason : std::string(reason_of(error.kind)),
          error.message};
}

bool looks_like_html(std::string_view body) { return util::trim(body).starts_with('<'); }

}  // namespace kubist::metrics
