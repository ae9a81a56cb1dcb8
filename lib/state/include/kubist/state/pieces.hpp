#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <kubist/state/archive.hpp>
#include <kubist/state/head.hpp>

namespace kubist::state {

/// One piece of packed state: a chunk with what stands beside it, or what is in the head Secret
/// (then part is empty).
struct Piece {
  std::string bytes, part;
};
/// Reads the n-th piece behind a head; nothing: it is not there. May be called again.
using ReadPiece = std::function<util::Result<std::optional<Piece>>(const Head& head, int n)>;

/// The packed state behind a head, each piece verified before it is given, the whole at the end.
/// Errors of the source, each naming the Secret at fault (`head_secret` or one of its chunks) and
/// what to do: unavailable (a chunk is missing or of another generation, which may be a cache that
/// is behind), invalid (corrupt).
Source verified_source(Head head, std::string head_secret, ReadPiece read);
/// Reads a source to its end for only its verdict.
util::Result<> drain(const Source& source);

/// The head in the folder that the head Secret is mounted at. Invalid: corrupt.
util::Result<Head> mounted_head(const std::filesystem::path& folder);
/// Reads pieces from that folder.
ReadPiece mounted_pieces(std::filesystem::path folder);

}  // namespace kubist::state
