#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/position.hpp>
#include <kubist/util/result.hpp>

namespace kubist::data {

/// What to do with a key that one map has twice.
enum class DuplicateKeys {
  reject,     ///< an error at the second one
  last_wins,  ///< as sigs.k8s.io/yaml and Go's JSON reader do
  collect,    ///< the last wins, and each is an error in Document::duplicates
};

/// What to do with an integer that int64 cannot hold.
enum class BigIntegers {
  /// An error with the advice to quote it, unless it is the text that Go's JSON writer has for a
  /// double (10000000000000000000 for 1e19): so what kubist and the API server write can be read.
  reject,
  as_float,  ///< as kubectl does, silently losing digits
};

/// The limits keep hostile or broken input from eating the machine; each has its own message.
struct ReadOptions {
  std::size_t max_bytes = std::size_t{256} << 20U;  ///< of the whole input
  std::size_t max_depth = 500;                      ///< maps and lists inside each other
  std::size_t max_nodes = 10'000'000;               ///< values in one document
  std::size_t max_alias_nodes = 200'000;            ///< values that aliases add in one document
  DuplicateKeys duplicate_keys = DuplicateKeys::reject;
  BigIntegers big_integers = BigIntegers::reject;
  /// Keep the text, so that Document can tell positions (one copy for the whole input).
  bool keep_source = true;
};

/// One document of a YAML stream or one value of a JSON stream.
struct Document {
  Json value;
  util::SourcePos start;  ///< its first node
  std::size_t index = 0;  ///< among the non-empty documents of its input, from 0
  /// Keys that one map has twice, with their positions (DuplicateKeys::collect only).
  std::vector<util::Error> duplicates;

  /// Reads the document's text again for the marks of all nodes: some milliseconds a megabyte.
  /// Without source every answer is `start`.
  PositionIndex positions() const;
  /// One look-up; for several take positions() or lookup().
  util::SourcePos position(std::string_view pointer, At at = At::value) const;
  /// A function that indexes on its first call and may outlive this document; one thread at a time.
  PositionLookup lookup() const;

  /// The input that the document came from; empty unless ReadOptions::keep_source.
  std::shared_ptr<const std::string> source;
  /// Where it begins there, for positions(): byte offset, mark, and the reader to use.
  struct Origin {
    std::size_t offset = 0;
    Mark mark{1, 1};
    bool json = false;
  } origin;
};

using DocumentHandler = std::function<util::Result<>(Document&& document)>;

/// Reads YAML (1.1 as sigs.k8s.io/yaml and so kubectl resolves it) or, where the first byte that is
/// not white space is '{', JSON (also several values in a row). UTF-8 or UTF-16, with or without
/// a byte order mark. Documents that are empty, comments only or null are skipped. Differences from
/// kubectl are the two options above, and that a list or scalar as a document is allowed.
/// `origin` names the input in positions and errors ("stdin", a path). Errors: invalid, with the
/// position; the documents before it are lost.
util::Result<std::vector<Document>> read_documents(std::string_view text, const std::string& origin,
                                                   const ReadOptions& options = {});
/// The same without a copy of the text.
util::Result<std::vector<Document>> read_documents(std::shared_ptr<const std::string> text,
                                                   const std::string& origin,
                                                   const ReadOptions& options = {});
/// The same, one document at a time: memory is that of the text and one document. An error of the
/// handler ends the reading and is returned as it is.
util::Result<> for_each_document(std::string_view text, const std::string& origin,
                                 const ReadOptions& options, const DocumentHandler& handler);
util::Result<> for_each_document(std::shared_ptr<const std::string> text, const std::string& origin,
                                 const ReadOptions& options, const DocumentHandler& handler);

/// Exactly one document; none or more is an error (invalid).
util::Result<Document> read_document(std::string_view text, const std::string& origin,
                                     const ReadOptions& options = {});

/// The value of one JSON text, nothing but white space after it; any JSON value, not only objects.
util::Result<Json> parse_json(std::string_view text, const std::string& origin,
                              const ReadOptions& options = {});

/// An error of reading a text that is secret: readers quote what they stumble over. Its kind and
/// place with another message ("not a kubeconfig").
util::Error place_alone(const util::Error& error, std::string message, std::string hint = {});

}  // namespace kubist::data
