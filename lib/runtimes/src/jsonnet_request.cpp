#include "jsonnet_request.hpp"

#include <algorithm>
#include <cstddef>

#include <kubist/util/text.hpp>

namespace kubist::runtimes {

using util::cat;

namespace {

constexpr std::string_view k_before_source = "local policy = (";

std::optional<std::size_t> read_length(std::string_view text) {
  auto number = util::parse_int(text);
  return number && *number >= 0 ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

/// Moves the digits at the front of `text` to `out`, as a column of the source.
void move_column(std::string_view& text, std::string& out) {
  auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  auto column = read_length(text.substr(0, end));
  out += column && *column > k_before_source.size()
             ? std::to_string(*column - k_before_source.size())
             : std::string(text.substr(0, end));
  text.remove_prefix(end);
}

}  // namespace

std::string write_request(const JsonnetRequest& request) {
  return cat(request.mode == JsonnetRequest::Mode::check ? "check" : "call", " ",
             request.name.size(), " ", request.source.size(), " ", request.inputs.size(), "\n",
             request.name, request.source, request.inputs);
}

std::optional<JsonnetRequest> read_request(std::string_view text) {
  auto end = text.find('\n');
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  auto words = util::split(text.substr(0, end), ' ');
  text.remove_prefix(end + 1);
  if (words.size() != 4 || (words[0] != "call" && words[0] != "check")) {
    return std::nullopt;
  }
  JsonnetRequest request;
  request.mode = words[0] == "check" ? JsonnetRequest::Mode::check : JsonnetRequest::Mode::call;
  std::string* parts[] = {&request.name, &request.source, &request.inputs};
  for (std::size_t i = 0; i < 3; ++i) {
    auto length = read_length(words[i + 1]);
    if (!length || *length > text.size()) {
      return std::nullopt;
    }
    *parts[i] = text.substr(0, *length);
    text.remove_prefix(*length);
  }
  return request;
}

std::string program_of(const JsonnetRequest& request) {
  // The closing parenthesis stands on a line of its own: the source may end in a comment.
  if (request.mode == JsonnetRequest::Mode::check) {
    return cat(k_before_source, request.source, "\n); std.isFunction(policy)");
  }
  return cat(k_before_source, request.source,
             "\n); [policy(x) for x in std.parseJson(std.extVar(\"", k_inputs_variable, "\"))]");
}

std::string correct_columns(std::string_view error, const std::string& name) {
  std::string out;
  while (!error.empty()) {
    // "NAME:1:5", "NAME:1:5-9", "NAME:(1:5)-(3:7)"
    auto at = std::min(error.find(cat(name, ":1:")), error.find(cat(name, ":(1:")));
    if (at == std::string_view::npos) {
      return out.append(error);
    }
    bool span = error[at + name.size() + 1] == '(';
    at += name.size() + (span ? 4 : 3);
    out.append(error.substr(0, at));
    error.remove_prefix(at);
    move_column(error, out);
    if (!span && error.starts_with('-')) {
      out += '-';
      error.remove_prefix(1);
      move_column(error, out);
    }
  }
  return out;
}

}  // namespace kubist::runtimes
