#pragma once
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubist::cli {

/// Counters, gauges and histograms, as Prometheus reads them. Any thread.
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
class Instruments {
 public:
  enum class Type { counter, gauge, histogram };
  struct Family {
    std::string_view name;
    Type type;
    std::string_view help;            ///< one line
    std::vector<double> bounds = {};  ///< of a histogram's buckets, ascending, without +Inf
  };
  /// Names in the order in which they are to be shown, always the same for one family.
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  explicit Instruments(std::vector<Family> families);

  // Of a family that there is, and of its type; another one ends the program (std::out_of_range).
  void add(std::string_view family, const Labels& labels, double by);
  void set(std::string_view family, const Labels& labels, double value);
  void observe(std::string_view family, const Labels& labels, double value);

  /// All that has a value, families in order.
  std::string text() const;

 private:
  struct Series {
    double value = 0;                 ///< of a histogram the sum
    std::vector<std::size_t> counts;  ///< of each bucket by itself, the last one of +Inf
  };
  using All = std::map<std::string, Series>;  ///< by labels, as text
  Series& series(std::string_view family, const Labels& labels);

  std::vector<Family> m_families;
  mutable std::mutex m_mutex;
  std::map<std::string_view, All> m_series;  ///< by family
};

}  // namespace kubist::cli
