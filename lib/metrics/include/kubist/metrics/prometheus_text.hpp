#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kubist/http/line_stream.hpp>
#include <kubist/util/result.hpp>

namespace kubist::metrics {

/// Label names and values of one series, in the order that they came in.
using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

/// The value of a label, empty where there is none (Prometheus does not tell them apart either).
std::string_view label(const Labels& labels, std::string_view name);

/// One line. Views are valid during the call that brings them.
struct TextSample {
  std::string_view name;
  const Labels& labels;
  double value = 0;
};

/// A number as Prometheus writes it ("12", "1e+06", "NaN", "+Inf"); false where it is none.
bool parse_metric_value(std::string_view text, double& value);

/// Reads Prometheus's text format (0.0.4; of OpenMetrics what proxies send: exemplars and
/// timestamps are skipped) as it arrives in pieces. Memory is that of one line. One thread at a
/// time.
class PrometheusText {
 public:
  using Handler = std::function<void(const TextSample& sample)>;

  explicit PrometheusText(Handler handler, std::size_t max_line = std::size_t{1} << 20U);
  PrometheusText(const PrometheusText&) = delete;
  PrometheusText& operator=(const PrometheusText&) = delete;

  /// Invalid: a line that is none, with its number; what came before it has been handed over.
  util::Result<> feed(std::string_view bytes);
  /// The text has ended: hands over a last line without newline.
  util::Result<> finish();

 private:
  bool take(std::string_view line);
  util::Result<> outcome() const;

  Handler m_handler;
  http::LineStream m_lines;
  std::size_t m_line = 0;
  const char* m_problem = nullptr;
  bool m_over = false;  ///< "# EOF" came
  Labels m_labels;
  std::deque<std::string> m_unescaped;
};

}  // namespace kubist::metrics
