#include "jsonnet_request.hpp"

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
  return cat(k_before_source, request.source, "\n); [policy(x) for x in std.parseJson(std.extVar(\"",
             k_inputs_variable, "\"))]");
}

std::string correct_columns(std::string_view error, const std::string& name) {
  std::string out;
  for (const std::string& before : {cat(name, ":1:"), cat(name, ":(1:")}) {
    std::string rest(out.empty() ? error : std::string_view(out));
    out.clear();
    std::size_t at = 0;
    while ((at = rest.find(before)) != std::string::npos) {
      std::size_t digits = at + before.size();
      std::size_t end = rest.find_first_not_of("0123456789", digits);
      end = end == std::string::npos ? rest.size() : end;
      auto column = read_length(std::string_view(rest).substr(digits, end - digits));
      out.append(rest, 0, digits);
      out += column && *column > k_before_source.size()
                 ? std::to_string(*column - k_before_source.size())
                 : rest.substr(digits, end - digits);
      rest.erase(0, end);
    }
    out += rest;
  }
  return out;
}

}  // namespace kubist::runtimes
