#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/document.hpp>

#include "event_sink.hpp"

namespace kubist::data {

/// Feeds JSON values of a text, one after the other, to a sink. No recursion on input.
class JsonSource final : public MarkSource {
 public:
  /// Begins at byte `offset` of `text`, which has the mark `at`. All must outlive the source.
  JsonSource(std::string_view text, const std::string& origin, const ReadOptions& options,
             std::size_t offset = 0, Mark at = {1, 1});

  /// Skips white space; false when nothing is left.
  bool at_value();
  /// Reads one value; afterwards offset() is behind it.
  util::Result<> read_value(EventSink& sink);
  std::size_t offset() const { return m_at; }

  /// Counts forward only, so that all marks together cost one pass over the text.
  Mark mark() override;
  /// The error of something unexpected at offset().
  tl::unexpected<util::Error> error(std::string message, std::string hint = {});

 private:
  util::Result<> value(EventSink& sink);
  util::Result<> after_value(EventSink& sink);
  util::Result<> key(EventSink& sink);
  util::Result<> close(EventSink& sink);
  util::Result<> number(EventSink& sink);
  util::Result<> literal(EventSink& sink, std::string_view word, Json value);
  util::Result<> string(std::string& out);
  util::Result<> escape(std::string& out);
  util::Result<unsigned> hex4();
  void skip_space();
  char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
  tl::unexpected<util::Error> unexpected(std::string_view wanted);

  std::string_view m_text;
  const std::string& m_origin;
  const ReadOptions& m_options;
  std::size_t m_at;
  std::size_t m_token;  ///< where the current event began
  std::size_t m_counted;
  Mark m_mark;
  std::vector<char> m_open;  ///< '{' and '['
  std::string m_buffer;
};

}  // namespace kubist::data
