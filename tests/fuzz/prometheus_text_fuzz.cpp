// Statistics in Prometheus's text format, as proxies serve them.
#include <kubist/metrics/prometheus_text.hpp>

#include "harness.hpp"

using namespace kubist;
using namespace kubist::metrics;

namespace {

/// Everything that was read, and whether all was.
std::string read(std::string_view text, std::size_t piece) {
  std::string all;
  PrometheusText parser([&](const TextSample& sample) {
    testing::require(!sample.name.empty(), "a metric has a name");
    all += sample.name;
    for (const auto& [name, value] : sample.labels) {
      testing::require(!name.empty(), "a label has a name");
      all.append(name).append("=").append(value);
    }
    all += std::to_string(sample.value) + '\n';
  });
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (!parser.feed(text.substr(at, piece))) {
      return all + "!";
    }
  }
  return parser.finish() ? all : all + "!";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = testing::text_of(bytes, size);
  testing::require(read(text, 3) == read(text, text.size() + 1), "how it is cut does not matter");
  return 0;
}
