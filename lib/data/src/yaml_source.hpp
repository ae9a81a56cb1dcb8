#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/document.hpp>

#include "event_sink.hpp"

namespace kubist::data {

/// Feeds a YAML stream (UTF-8, no byte order mark) to a sink, document by document, from libyaml's
/// events: no recursion on input.
class YamlSource final : public MarkSource {
 public:
  /// `first_line` is the line on which `text` begins. All three must outlive the source.
  YamlSource(std::string_view text, const std::string& origin, const ReadOptions& options,
             std::uint32_t first_line = 1);
  ~YamlSource() override;
  YamlSource(const YamlSource&) = delete;
  YamlSource& operator=(const YamlSource&) = delete;

  /// Where a document begins: characters from the start of the text, and its mark.
  struct Start {
    std::size_t characters = 0;
    Mark mark;
  };
  /// Moves to the next document; false at the end of the stream.
  util::Result<bool> next_document(Start& start);
  /// The document's events, up to and with its end.
  util::Result<> read_document(EventSink& sink);

  Mark mark() override;
  /// The mark of the document's root node.
  Mark first_node() const { return m_first_node; }

 private:
  struct Parser;
  util::Result<> next_event();
  util::Result<> dispatch(EventSink& sink);
  util::Result<> dispatch_scalar(EventSink& sink);
  util::Result<> dispatch_key(EventSink& sink, std::string_view text, bool plain,
                              std::string_view tag);
  util::Result<> dispatch_alias(EventSink& sink);
  util::Result<Json> resolve(std::string_view text, bool plain, std::string_view tag);
  util::Result<> begin(EventSink& sink, bool map, const unsigned char* anchor);
  util::Result<> parser_error();
  tl::unexpected<util::Error> error(std::string message, std::string hint = {});
  bool at_key() const { return !m_levels.empty() && m_levels.back() == Level::key; }
  void value_done();

  enum class Level : unsigned char { list, key, value };
  struct KeyAnchor {
    std::string text;
    std::string tag;
    bool plain;
  };

  std::string_view m_text;
  const std::string& m_origin;
  const ReadOptions& m_options;
  std::uint32_t m_first_line;
  Mark m_first_node;
  std::unique_ptr<Parser> m_parser;
  std::vector<Level> m_levels;
  std::map<std::string, KeyAnchor, std::less<>> m_scalar_anchors;  ///< an alias may be a key
};

}  // namespace kubist::data
