#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/state/head.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::state {

using util::ErrorKind;

std::string to_text(const Head& head) {
  return data::to_json({{"generation", head.generation},
                        {"set", head.set},
                        {"chunks", head.chunks},
                        {"size", head.size},
                        {"sha256", head.sha256}});
}

util::Result<Head> parse_head(std::string_view text) {
  if (text.empty()) {
    return Head{};
  }
  const auto value = data::parse_json(text, "state head");
  if (!value || !value->is_object()) {
    return util::fail(ErrorKind::invalid, "the state's head cannot be read: it is corrupt");
  }
  Head head;
  head.generation = data::int_at(*value, {"generation"}, -1);
  head.set = std::string(data::string_at(*value, {"set"}));
  head.chunks = static_cast<int>(data::int_at(*value, {"chunks"}, -1));
  const std::int64_t size = data::int_at(*value, {"size"}, -1);
  head.size = size < 0 ? 0 : static_cast<std::size_t>(size);
  head.sha256 = std::string(data::string_at(*value, {"sha256"}));
  if (head.generation < 0 || head.chunks < 0 || size < 0 || (size > 0) == head.sha256.empty()) {
    return util::fail(ErrorKind::invalid, "the state's head has impossible values: it is corrupt");
  }
  return head;
}

std::string chunk_name(std::string_view head_secret, std::string_view set, int chunk) {
  return util::cat(head_secret, "-", set, chunk);
}

std::optional<Head> next_head(const Head& previous, std::string_view packed) {
  const std::string hash = packed.empty() ? "" : util::sha256_hex(packed);
  if (previous.size == packed.size() && previous.sha256 == hash) {
    return {};
  }
  Head head;
  head.generation = previous.generation + 1;
  head.size = packed.size();
  head.sha256 = hash;
  return head;
}

util::Result<> verify(const Head& head, std::string_view packed) {
  if (packed.size() != head.size) {
    return util::fail(ErrorKind::invalid,
                      util::cat("the state of generation ", head.generation, " has ", packed.size(),
                                " bytes, its head says ", head.size, ": it is corrupt"));
  }
  if (head.size > 0 && util::sha256_hex(packed) != head.sha256) {
    return util::fail(ErrorKind::invalid, util::cat("the state of generation ", head.generation,
                                                    " does not have the sha256 that its head "
                                                    "names: it is corrupt"));
  }
  return {};
}

util::Result<Head> head_of_secret(const data::Json& secret) {
  const auto text = util::base64_decode(data::string_at(secret, {"data", k_head_key}));
  return parse_head(text.value_or(""));
}

util::Result<Kept> read_mounted(const std::filesystem::path& folder) {
  const auto read = [&](std::string_view key) -> util::Result<std::string> {
    auto text = util::read_file(folder / key, std::size_t{2} << 20U);
    if (!text && text.error().kind == ErrorKind::not_found) {
      return std::string();
    }
    return text;
  };
  Kept kept;
  KUBIST_TRY(const std::string text, read(k_head_key));
  KUBIST_TRY(kept.head, parse_head(text));
  KUBIST_TRY(kept.packed, read(k_state_key));
  KUBIST_CHECK(verify(kept.head, kept.packed));
  return kept;
}

}  // namespace kubist::state
