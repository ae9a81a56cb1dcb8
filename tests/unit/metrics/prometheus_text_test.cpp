#include <cmath>

#include <doctest/doctest.h>

#include <kubist/metrics/prometheus_text.hpp>
#include <kubist/util/text.hpp>

using namespace kubist::metrics;
namespace util = kubist::util;

namespace {

struct Read {
  std::vector<std::string> lines;
  std::string problem;
};

/// "name{a=1,b=2} 3" of each line, however the text is cut.
Read read(std::string_view text, std::size_t piece) {
  Read result;
  PrometheusText parser([&](const TextSample& sample) {
    std::string line = util::cat(sample.name, '{');
    for (const auto& [name, value] : sample.labels) {
      line += util::cat(name, '=', value, ',');
    }
    result.lines.push_back(util::cat(line, "} ", sample.value));
  });
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (const auto fed = parser.feed(text.substr(at, piece)); !fed) {
      result.problem = fed.error().message;
      return result;
    }
  }
  if (const auto ended = parser.finish(); !ended) {
    result.problem = ended.error().message;
  }
  return result;
}

}  // namespace

TEST_CASE("prometheus text: lines as Envoy and Istio write them, however they are cut") {
  const std::string text =
      "# TYPE envoy_cluster_upstream_rq counter\n"
      "envoy_cluster_upstream_rq{response_code_class=\"5xx\",cluster_name=\"outbound|80|v2|web\"} "
      "7\n"
      "\n"
      "envoy_server_uptime{} 12\r\n"
      "t_bucket{le=\"+Inf\", a=\"q\\\"u\\\\o\\nte\\x\",} 1e+06 1700000000000\n"
      "plain 0.5 # {trace_id=\"x\"} 1\n"
      "  spaced  { a = \"b\" }  +Inf\n"
      "last NaN";
  const std::vector<std::string> expected{
      "envoy_cluster_upstream_rq{response_code_class=5xx,cluster_name=outbound|80|v2|web,} 7",
      "envoy_server_uptime{} 12",
      "t_bucket{le=+Inf,a=q\"u\\o\nte\\x,} 1e+06",
      "plain{} 0.5",
      "spaced{a=b,} inf",
      "last{} nan"};
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, text.size()}) {
    const Read result = read(text, piece);
    CHECK(result.problem == "");
    CHECK(result.lines == expected);
  }
}

TEST_CASE("prometheus text: what is none is refused with its line") {
  const auto problem = [](std::string_view text) { return read(text, 3).problem; };
  CHECK(problem("a 1\n<html>\n") == "line 2 of the metrics: a metric's name is expected");
  CHECK(problem("a{b=\"c\" 1\n").starts_with("line 1 of the metrics: ',' or '}'"));
  CHECK(problem("a{b=\"c\n").find("value in quotes") != std::string::npos);
  CHECK(problem("a{b=\"c\\\n").find("value in quotes") != std::string::npos);
  CHECK(problem("a{b} 1\n").find("'=' is expected") != std::string::npos);
  CHECK(problem("a{=\"x\"} 1\n").find("label's name") != std::string::npos);
  CHECK(problem("a\n").find("a number") != std::string::npos);
  CHECK(problem("a one\n").find("a number") != std::string::npos);
  CHECK(problem("a 1 2 3\n").find("a number") != std::string::npos);
  CHECK(problem("{\"status\":\"success\"}").find("name is expected") != std::string::npos);
}

TEST_CASE("prometheus text: a line that is too long is an error, and nothing is read after EOF") {
  PrometheusText small([](const TextSample&) {}, 10);
  CHECK_FALSE(small.feed("a_metric_of_some_length 1\n"));
  CHECK(read("a 1\n# EOF\nb 2\n<html>", 100).lines == std::vector<std::string>{"a{} 1"});
}

TEST_CASE("prometheus text: values") {
  double value = 0;
  for (const char* good : {"1", "-1.5", "+2", "1e3", ".5", "NaN", "+Inf", "-Inf", "inf"}) {
    CHECK_MESSAGE(parse_metric_value(good, value), good);
  }
  for (const char* bad : {"", "+", "+-1", "1x", " 1", "0x10", "--1"}) {
    CHECK_MESSAGE(!parse_metric_value(bad, value), bad);
  }
  REQUIRE(parse_metric_value("1e999", value));
  CHECK(std::isnan(value));
}
