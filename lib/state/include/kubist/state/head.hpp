#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::state {

/// The head of an item's state: the one thing whose update makes new state current. State of up to
/// k_max_head_state bytes lives beside it in the same Secret (set empty, chunks 0), so that one
/// update is atomic. More lives in the Secrets chunk_name(head Secret, set, 0..chunks-1) under
/// k_state_key; the sets "a" and "b" are written by turns, the head last. size 0: there is no
/// state.
struct Head {
  std::int64_t generation = 0;  ///< grows with every change
  std::string set;
  int chunks = 0;
  std::size_t size = 0;  ///< bytes, packed
  std::string sha256;    ///< of the packed bytes; empty when size is 0
  bool operator==(const Head&) const = default;
};

std::string to_text(const Head& head);
/// Empty text is the head of an item that never ran. Invalid: not a head.
util::Result<Head> parse_head(std::string_view text);

/// The name of the n-th Secret of one set.
std::string chunk_name(std::string_view head_secret, std::string_view set, int chunk);

/// The head for these packed bytes after `previous`: nothing when they are the same as before.
std::optional<Head> next_head(const Head& previous, std::string_view packed);

/// Checks size and hash. Invalid: they are not what the head says (the state is corrupt).
util::Result<> verify(const Head& head, std::string_view packed);

/// The head in a Secret as the API gives it (data in base64). Invalid: corrupt.
util::Result<Head> head_of_secret(const data::Json& secret);
/// Head and packed bytes from the folder that the head Secret is mounted at, verified.
struct Kept {
  Head head;
  std::string packed;
};
util::Result<Kept> read_mounted(const std::filesystem::path& folder);

}  // namespace kubist::state
