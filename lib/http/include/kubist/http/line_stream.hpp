#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <kubist/util/result.hpp>

namespace kubist::http {

/// Cuts a stream that arrives in pieces into lines. One thread at a time.
class LineStream {
 public:
  /// A line without its newline; false stops.
  using LineHandler = std::function<bool(std::string_view line)>;

  explicit LineStream(LineHandler handler, std::size_t max_line = std::size_t{64} << 20U);

  /// Hands over every line that is complete now: false when the handler stopped. Invalid: a line
  /// longer than max_line.
  util::Result<bool> feed(std::string_view bytes);
  /// The stream has ended: hands over what came after the last newline, if anything.
  bool finish();
  /// Bytes of a line that has not ended yet.
  std::size_t pending() const { return m_rest.size(); }

 private:
  LineHandler m_handler;
  std::size_t m_max_line;
  std::string m_rest;
};

}  // namespace kubist::http
