#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/state/head.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

namespace kubist::state {

using util::ErrorKind;

namespace {

/// What JSON holds whatever reads it (RFC 8259, section 6), and far from where counting overflows.
constexpr std::int64_t k_last_generation = (std::int64_t{1} << 53) - 1;

}  // namespace

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
  if (head.generation < 0 || head.generation > k_last_generation || head.chunks < 0 || size < 0 ||
      (size > 0) == head.sha256.empty() || head.chunks != chunk_count(head.size) ||
      (head.chunks > 0) == head.set.empty()) {
    return util::fail(ErrorKind::invalid, "the state's head has impossible values: it is corrupt");
  }
  return head;
}

std::string chunk_name(std::string_view head_secret, std::string_view set, int chunk) {
  return util::cat(head_secret, "-", set, chunk);
}

int chunk_count(std::size_t size) {
  return size <= k_max_head_state ? 0 : static_cast<int>((size + k_chunk - 1) / k_chunk);
}

std::vector<std::string> chunk_names(std::string_view head_secret, std::size_t limit) {
  std::vector<std::string> names;
  for (const std::string_view set : {k_first_set, k_second_set}) {
    for (int chunk = 0; chunk < chunk_count(limit); ++chunk) {
      names.push_back(chunk_name(head_secret, set, chunk));
    }
  }
  return names;
}

std::optional<Head> next_head(const Head& previous, std::size_t size, std::string_view sha256) {
  if (previous.size == size && (size == 0 || previous.sha256 == sha256)) {
    return {};
  }
  Head head;
  head.generation = previous.generation + 1;
  head.size = size;
  head.chunks = chunk_count(size);
  if (head.chunks > 0) {
    head.set = previous.set == k_first_set ? k_second_set : k_first_set;
  }
  if (size > 0) {
    head.sha256 = sha256;
  }
  return head;
}

util::Result<Head> head_of_secret(const data::Json& secret) {
  const auto text = util::base64_decode(data::string_at(secret, {"data", k_head_key}));
  return parse_head(text.value_or(""));
}

std::string to_text(const Part& part) {
  return data::to_json({{"generation", part.generation}, {"sha256", part.sha256}});
}

std::optional<Part> parse_part(std::string_view text) {
  const auto value = data::parse_json(text, "part of the state");
  if (!value || !value->is_object()) {
    return {};
  }
  return Part{data::int_at(*value, {"generation"}, -1),
              std::string(data::string_at(*value, {"sha256"}))};
}

}  // namespace kubist::state
