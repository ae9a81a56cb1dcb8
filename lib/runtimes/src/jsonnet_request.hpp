#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kubist::runtimes {

/// What the parent asks of a Jsonnet child, as one text on its stdin: a line with the mode and the
/// lengths, then the bytes.
struct JsonnetRequest {
  enum class Mode { call, check };
  Mode mode = Mode::call;
  std::string name;    ///< file name in errors
  std::string source;  ///< an expression that gives a function
  std::string inputs;  ///< a JSON list
};

inline constexpr const char* k_inputs_variable = "inputs";

std::string write_request(const JsonnetRequest& request);
std::optional<JsonnetRequest> read_request(std::string_view text);

/// The program that is evaluated. Imports and external code would cost another reading of the
/// standard library each (27 ms), so the source stands in it, and the inputs come as text.
std::string program_of(const JsonnetRequest& request);

/// An error text with the columns of line 1 as they are in the source.
std::string correct_columns(std::string_view error, const std::string& name);

}  // namespace kubist::runtimes
