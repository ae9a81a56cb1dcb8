#include <kubist/metrics/answer.hpp>

namespace kubist::metrics {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::inconclusive:
      break;
  }
  return "inconclusive";
}

tl::unexpected<Answer> inconclusive(std::string_view reason, std::string message) {
  return tl::unexpected<Answer>(
      Answer{Verdict::inconclusive, std::string(reason), std::move(message)});
}

}  // namespace kubist::metrics
