#include <kubist/data/document.hpp>
#include <kubist/util/text.hpp>

#include "json_source.hpp"
#include "position_index.hpp"
#include "tree_builder.hpp"
#include "utf8.hpp"
#include "yaml_source.hpp"

namespace kubist::data {

using util::cat;
using util::ErrorKind;
using util::Result;

namespace {

constexpr std::string_view k_bom = "\xEF\xBB\xBF";

bool starts_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

/// Walks one input: hands out its documents, switching between the two readers.
class DocumentReader {
 public:
  DocumentReader(std::string_view text, std::shared_ptr<const std::string> source,
                 const std::string& origin, const ReadOptions& options,
                 const DocumentHandler& handler)
      : m_text(text),
        m_source(std::move(source)),
        m_origin(origin),
        m_options(options),
        m_handler(handler) {}

  Result<> run() {
    if (m_text.size() > m_options.max_bytes) {
      return util::fail(ErrorKind::invalid, util::SourcePos{m_origin, 0, 0},
                        cat("the input has ", m_text.size(), " bytes, more than the limit of ",
                            m_options.max_bytes),
                        "split it into several files");
    }
    return starts_json(m_text) ? read_json() : read_yaml(0, 1);
  }

 private:
  Result<> hand_out(TreeBuilder& builder, std::size_t offset, Mark mark, Mark start, bool json) {
    std::vector<util::Error> duplicates = builder.take_duplicates();
    Json value = builder.take();
    if (value.is_null()) {
      return {};
    }
    Document document;
    document.value = std::move(value);
    document.duplicates = std::move(duplicates);
    document.start = {m_origin, start.line, start.column};
    document.index = m_count++;
    document.source = m_source;
    document.origin = {offset, mark, json};
    return m_handler(std::move(document));
  }

  Result<> read_json() {
    JsonSource source(m_text, m_origin, m_options);
    TreeBuilder builder(m_options, m_origin, source);
    while (source.at_value()) {
      const std::size_t offset = source.offset();
      const Mark mark = source.mark();
      if (m_text.substr(offset).starts_with("---")) {
        return read_yaml(offset, mark.line);
      }
      KUBIST_CHECK(source.read_value(builder));
      KUBIST_CHECK(hand_out(builder, offset, mark, mark, true));
    }
    return {};
  }

  Result<> read_yaml(std::size_t offset, std::uint32_t line) {
    YamlSource source(m_text.substr(offset), m_origin, m_options, line);
    TreeBuilder builder(m_options, m_origin, source);
    YamlSource::Start start;
    std::size_t characters = 0;
    for (;;) {
      KUBIST_TRY(const bool more, source.next_document(start));
      if (!more) {
        return {};
      }
      for (; m_source != nullptr && characters < start.characters; ++characters) {
        offset += std::max<std::size_t>(1, utf8_length(m_text.substr(offset)));
      }
      KUBIST_CHECK(source.read_document(builder));
      // Indentation counts from the start of the line.
      const std::size_t indent = std::min<std::size_t>(offset, start.mark.column - 1);
      KUBIST_CHECK(
          hand_out(builder, offset - indent, {start.mark.line, 1}, source.first_node(), false));
    }
  }

  std::string_view m_text;
  std::shared_ptr<const std::string> m_source;
  const std::string& m_origin;
  const ReadOptions& m_options;
  const DocumentHandler& m_handler;
  std::size_t m_count = 0;
};

Result<> read_all(std::string_view text, std::shared_ptr<const std::string> source,
                  const std::string& origin, const ReadOptions& options,
                  const DocumentHandler& handler) {
  if (text.size() <= options.max_bytes && looks_like_utf16(text)) {
    source = std::make_shared<const std::string>(utf8_from_utf16(text));
    text = *source;
  }
  if (text.starts_with(k_bom)) {
    text.remove_prefix(k_bom.size());
    if (source != nullptr) {
      source = std::make_shared<const std::string>(text);
      text = *source;
    }
  }
  DocumentReader reader(text, options.keep_source ? source : nullptr, origin, options, handler);
  return reader.run();
}

}  // namespace

Result<> for_each_document(std::string_view text, const std::string& origin,
                           const ReadOptions& options, const DocumentHandler& handler) {
  const bool keep = options.keep_source && text.size() <= options.max_bytes;
  if (!keep) {
    return read_all(text, nullptr, origin, options, handler);
  }
  return for_each_document(std::make_shared<const std::string>(text), origin, options, handler);
}

Result<> for_each_document(std::shared_ptr<const std::string> text, const std::string& origin,
                           const ReadOptions& options, const DocumentHandler& handler) {
  const std::string_view view = *text;
  return read_all(view, std::move(text), origin, options, handler);
}

namespace {

template <class Text>
Result<std::vector<Document>> collect(Text text, const std::string& origin,
                                      const ReadOptions& options) {
  std::vector<Document> documents;
  KUBIST_CHECK(for_each_document(std::move(text), origin, options,
                                 [&documents](Document&& document) -> Result<> {
                                   documents.push_back(std::move(document));
                                   return {};
                                 }));
  return documents;
}

}  // namespace

Result<std::vector<Document>> read_documents(std::string_view text, const std::string& origin,
                                             const ReadOptions& options) {
  return collect(text, origin, options);
}

Result<std::vector<Document>> read_documents(std::shared_ptr<const std::string> text,
                                             const std::string& origin,
                                             const ReadOptions& options) {
  return collect(std::move(text), origin, options);
}

Result<Document> read_document(std::string_view text, const std::string& origin,
                               const ReadOptions& options) {
  KUBIST_TRY(std::vector<Document> documents, read_documents(text, origin, options));
  if (documents.size() == 1) {
    return std::move(documents.front());
  }
  if (documents.empty()) {
    return util::fail(ErrorKind::invalid, util::SourcePos{origin, 0, 0},
                      "expected one document but found none");
  }
  return util::fail(ErrorKind::invalid, documents[1].start,
                    cat("expected one document but found ", documents.size()));
}

Result<Json> parse_json(std::string_view text, const std::string& origin,
                        const ReadOptions& options) {
  if (text.size() > options.max_bytes) {
    return util::fail(ErrorKind::invalid, util::SourcePos{origin, 0, 0},
                      cat("the JSON text has ", text.size(), " bytes, more than the limit of ",
                          options.max_bytes));
  }
  JsonSource source(text, origin, options);
  TreeBuilder builder(options, origin, source);
  KUBIST_CHECK(source.read_value(builder));
  if (source.at_value()) {
    return source.error("text after the end of the JSON value");
  }
  return builder.take();
}

PositionIndex Document::positions() const {
  auto impl = std::make_shared<PositionIndex::Impl>();
  impl->fallback = start;
  if (source != nullptr) {
    // The text was read before with the caller's limits, so it is known to be fine.
    ReadOptions options;
    options.big_integers = BigIntegers::as_float;
    const std::string_view text = *source;
    if (origin.json) {
      JsonSource reader(text, start.origin, options, origin.offset, origin.mark);
      PositionIndexer indexer(*impl, reader);
      static_cast<void>(reader.read_value(indexer));
    } else {
      YamlSource reader(text.substr(origin.offset), start.origin, options, origin.mark.line);
      PositionIndexer indexer(*impl, reader);
      YamlSource::Start ignored;
      if (const auto more = reader.next_document(ignored); more && *more) {
        static_cast<void>(reader.read_document(indexer));
      }
    }
  }
  return PositionIndex(std::move(impl));
}

util::SourcePos Document::position(std::string_view pointer, At at) const {
  return positions().find(pointer, at);
}

PositionLookup Document::lookup() const {
  struct State {
    Document document;  ///< without its value
    std::optional<PositionIndex> index;
  };
  auto state = std::make_shared<State>();
  state->document.start = start;
  state->document.source = source;
  state->document.origin = origin;
  return [state](std::string_view pointer, At at) {
    if (!state->index) {
      state->index = state->document.positions();
    }
    return state->index->find(pointer, at);
  };
}

util::Error place_alone(const util::Error& error, std::string message, std::string hint) {
  return util::make_error(error.kind, error.pos, std::move(message), std::move(hint));
}

}  // namespace kubist::data
