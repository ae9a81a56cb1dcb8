#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/state/exports.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "beneath.hpp"

namespace kubist::state {
namespace {

using util::ErrorKind;
using util::Fd;

constexpr std::size_t k_shortest_secret = 6;

/// Readers quote what they stumble over (numbers, tagged text); here that may be a secret value.
/// What stands in double quotes goes, and so do other words of the message that the text has too.
std::string without_values(std::string_view message, std::string_view text) {
  if (message.starts_with("duplicate key")) {
    return std::string(message);
  }
  std::string result;
  const auto is_end = [](char c) { return c == ' ' || c == '"' || c == '\'' || c == ','; };
  for (std::size_t at = 0; at < message.size();) {
    if (message[at] == '"') {
      const std::size_t close = message.rfind('"');
      result += "***";
      at = close + 1;  // the value may have quotes itself: up to the last one
      continue;
    }
    std::size_t end = at;
    while (end < message.size() && !is_end(message[end])) {
      ++end;
    }
    const std::string_view word = message.substr(at, end - at);
    const bool known =
        word.size() >= k_shortest_secret && text.find(word) != std::string_view::npos;
    result += known ? std::string_view("***") : word;
    if (end < message.size() && message[end] != '"') {
      result += message[end++];
    }
    at = end;
  }
  return result;
}

util::Error cleaned(util::Error error, std::string_view text) {
  error.message = without_values(error.message, text);
  error.hint.clear();
  for (util::Error& detail : error.details) {
    detail = cleaned(std::move(detail), text);
  }
  return error;
}

util::Result<> check_schema(const data::Document& document, const data::Json& schema,
                            std::string_view text, const std::string& origin) {
  if (schema.is_null()) {
    return {};
  }
  auto compiled = data::Schema::compile(schema);
  if (!compiled) {
    return util::fail(util::with_context(compiled.error(), "the item's exportSchema"));
  }
  auto errors = compiled->validate(document.value, document.lookup(),
                                   {.reject_unknown = false, .max_errors = 10});
  if (errors.empty()) {
    return {};
  }
  for (util::Error& error : errors) {
    // "PATH: what is wrong": the path is made of keys and may stay.
    const std::size_t colon = error.message.find(": ");
    const std::string path = colon == std::string::npos ? "" : error.message.substr(0, colon + 2);
    error.message = path + without_values(error.message.substr(path.size()), text);
    error.hint.clear();
  }
  return util::fail(data::combine_errors(std::move(errors), origin));
}

std::string_view type_name(const data::Json& value) {
  return value.is_array() ? "a list" : value.is_string() ? "text" : value.type_name();
}

tl::unexpected<util::Error> too_large(const std::string& origin, std::size_t size) {
  return util::fail(ErrorKind::invalid, util::SourcePos{origin, 0, 0},
                    util::cat("the exports have ", size, " bytes, more than ", k_max_exports));
}

util::Result<std::string> read_regular(int file, const std::string& path) {
  struct stat info {};
  if (::fstat(file, &info) != 0) {
    return util::fail(system_failure("look at", path, errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return util::fail(ErrorKind::invalid, util::SourcePos{path, 0, 0},
                      "the exports must be a plain file");
  }
  std::string text;
  std::array<char, 65536> buffer;
  while (text.size() <= k_max_exports) {
    const auto count = ::read(file, buffer.data(), buffer.size());
    if (count < 0) {
      return util::fail(system_failure("read", path, errno));
    }
    if (count == 0) {
      return text;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return too_large(path, static_cast<std::size_t>(info.st_size));
}

}  // namespace

util::Result<Exports> parse_exports(std::string_view text, const std::string& origin,
                                    const data::Json& schema) {
  if (text.size() > k_max_exports) {
    return too_large(origin, text.size());
  }
  data::ReadOptions options;
  options.max_depth = 100;
  options.max_nodes = 200'000;
  auto documents = data::read_documents(text, origin, options);
  if (!documents) {
    return util::fail(cleaned(std::move(documents).error(), text));
  }
  if (documents->size() > 1) {
    return util::fail(ErrorKind::invalid, (*documents)[1].start,
                      "the exports must be one document, here a second one begins");
  }
  data::Document document;
  document.value = data::Json::object();
  document.start = {origin, 0, 0};
  if (!documents->empty()) {
    document = std::move(documents->front());
  }
  if (!document.value.is_object()) {
    return util::fail(ErrorKind::invalid, document.start,
                      util::cat("the exports must be a map, this is ", type_name(document.value)),
                      "Write for example {\"name\": \"value\"}.");
  }
  KUBIST_CHECK(check_schema(document, schema, text, origin));
  Exports exports;
  exports.bytes = data::to_json(document.value);
  if (exports.bytes.size() > k_max_exports) {
    return too_large(origin, exports.bytes.size());
  }
  exports.value = std::move(document.value);
  exports.sha256 = util::sha256_hex(exports.bytes);
  return exports;
}

util::Result<Exports> read_exports(const std::filesystem::path& root, std::string_view file,
                                   const data::Json& schema) {
  const std::string path = (root / file).string();
  KUBIST_TRY(auto parts, relative_parts(file));
  const std::string name = parts.back();
  parts.pop_back();
  KUBIST_TRY(const Fd top, open_folder(root.string()));
  KUBIST_TRY(const Fd folder, open_below(top.get(), parts));
  // Not blocking: a pipe would wait for its writer.
  const Fd opened(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened) {
    if (errno == ENOENT) {
      return parse_exports("", path, schema);
    }
    if (errno == ELOOP || errno == ENXIO) {
      return util::fail(ErrorKind::invalid, util::SourcePos{path, 0, 0},
                        "the exports must be a plain file");
    }
    return util::fail(system_failure("open", path, errno));
  }
  KUBIST_TRY(const std::string text, read_regular(opened.get(), path));
  return parse_exports(text, path, schema);
}

}  // namespace kubist::state
