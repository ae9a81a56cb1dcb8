#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
/// How many chunks state of `size` packed bytes has; 0: it lives in the head Secret. For a limit:
/// how many Secrets each set needs.
int chunk_count(std::size_t size);
/// The names of all chunk Secrets that state of up to `limit` bytes may need; empty for none.
std::vector<std::string> chunk_names(std::string_view head_secret, std::size_t limit);

/// The head for packed bytes of this size and hash (any, when size is 0) after `previous`: nothing
/// when they are the same as before.
std::optional<Head> next_head(const Head& previous, std::size_t size, std::string_view sha256);

/// The head in a Secret as the API gives it (data in base64). Invalid: corrupt.
util::Result<Head> head_of_secret(const data::Json& secret);

/// What stands beside the bytes of a chunk, in the same Secret under k_part_key: it tells a chunk
/// that is not there yet from one that was damaged.
struct Part {
  std::int64_t generation = 0;  ///< of the head that the chunk belongs to
  std::string sha256;           ///< of its bytes
};
std::string to_text(const Part& part);
/// Nothing: not a part.
std::optional<Part> parse_part(std::string_view text);

}  // namespace kubist::state
