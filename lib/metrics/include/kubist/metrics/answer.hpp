#pragma once
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace kubist::metrics {

/// Every judgement is one of three: what cannot be told is inconclusive, never a pass.
enum class Verdict { pass, fail, inconclusive };

/// "pass", "fail" or "inconclusive".
std::string_view to_string(Verdict verdict);

/// A judgement with its reason. `reason` is one of the k_reason_* below (CamelCase, stable: it goes
/// into statuses and is filtered on); `message` says in a sentence what was asked, of whom, and
/// what came back. Never holds a secret.
struct Answer {
  Verdict verdict = Verdict::inconclusive;
  std::string reason;
  std::string message;
  bool operator==(const Answer&) const = default;
};

/// A value, or why there is none (an Answer that is inconclusive).
template <class T>
using Expected = tl::expected<T, Answer>;

/// The failing branch: `return inconclusive(k_reason_no_data, "...")`.
[[nodiscard]] tl::unexpected<Answer> inconclusive(std::string_view reason, std::string message);

inline constexpr std::string_view k_reason_no_data = "NoData";  ///< no series at all
inline constexpr std::string_view k_reason_stale = "Stale";     ///< the newest value is too old
inline constexpr std::string_view k_reason_several = "SeveralSeries";  ///< one number was asked for
inline constexpr std::string_view k_reason_warnings = "Warnings";  ///< the answer may be partial
inline constexpr std::string_view k_reason_not_a_number = "NotANumber";  ///< NaN or infinite
inline constexpr std::string_view k_reason_native_histogram = "NativeHistogram";
inline constexpr std::string_view k_reason_wrong_type = "WrongType";          ///< a matrix, a text
inline constexpr std::string_view k_reason_bad_query = "BadQuery";            ///< 400, bad_data
inline constexpr std::string_view k_reason_cannot_execute = "CannotExecute";  ///< 422, execution
inline constexpr std::string_view k_reason_timeout = "Timeout";               ///< theirs or ours
inline constexpr std::string_view k_reason_canceled = "Canceled";             ///< theirs
inline constexpr std::string_view k_reason_cancelled = "Cancelled";  ///< ours: stop was requested
inline constexpr std::string_view k_reason_html = "Html";            ///< a page for people
inline constexpr std::string_view k_reason_not_metrics =
    "NotMetrics";  ///< neither JSON nor metrics
inline constexpr std::string_view k_reason_unreachable = "Unreachable";  ///< nobody answers there
inline constexpr std::string_view k_reason_forbidden = "Forbidden";      ///< 401 and 403
inline constexpr std::string_view k_reason_not_found = "NotFound";       ///< 404
inline constexpr std::string_view k_reason_no_pods = "NoPods";           ///< no gateway pod runs
inline constexpr std::string_view k_reason_too_many_pods =
    "TooManyPods";  ///< of the gateways take requests
inline constexpr std::string_view k_reason_no_such_field =
    "NoSuchField";                                           ///< JSONPath finds nothing
inline constexpr std::string_view k_reason_error = "Error";  ///< anything else

}  // namespace kubist::metrics
