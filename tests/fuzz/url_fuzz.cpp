// Addresses of servers and proxies; streams of lines.
#include <kubist/http/line_stream.hpp>
#include <kubist/http/url.hpp>

#include "harness.hpp"

using namespace kubist;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = testing::text_of(bytes, size);
  if (const auto url = http::parse_url(text)) {
    const auto again = http::parse_url(http::to_string(*url));
    testing::require(again && http::to_string(*again) == http::to_string(*url), "a URL reads back");
    // Not "its text is nowhere": a path may repeat it ("https://@@h://@@").
    const auto shown = http::parse_url(http::redacted(text));
    testing::require(shown && (url->userinfo.empty() || shown->userinfo == "***"),
                     "no userinfo is printed");
    testing::require(shown->host == url->host && shown->path == url->path, "all else is");
  }
  std::string whole;
  http::LineStream lines(
      [&](std::string_view line) {
        whole.append(line) += '\n';
        return true;
      },
      4096);
  for (std::size_t at = 0; at < size; at += 7) {
    if (!lines.feed(text.substr(at, 7))) {
      return 0;
    }
  }
  lines.finish();
  testing::require(whole.size() >= size, "no byte is lost");
  return 0;
}
