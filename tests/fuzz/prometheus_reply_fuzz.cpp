// Answers of Prometheus, or of whatever stands at its address; the first byte chooses the status.
#include "harness.hpp"
#include "prometheus_counters.hpp"
#include "prometheus_reply.hpp"

using namespace kubist;
using namespace kubist::metrics;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Subject k_subject{"shop", "web.shop.svc.cluster.local", {"v1", "v2"}, {}, {}, {}};
  if (size == 0) {
    return 0;
  }
  http::Response response;
  response.status = bytes[0] == 'e' ? 422 : 200;
  response.body = testing::text_of(bytes + 1, size - 1);
  const auto points = read_reply(response, false);
  if (!points) {
    testing::require(
        points.error().verdict == Verdict::inconclusive && !points.error().reason.empty(),
        "what is not understood is inconclusive, with a reason");
    return 0;
  }
  const auto sample = PrometheusCounters(*points).sample_of(
      k_subject, std::chrono::system_clock::time_point(std::chrono::seconds(1'800'000'000)),
      std::chrono::seconds(120));
  testing::require(sample || !sample.error().reason.empty(), "so are counters");
  return 0;
}
