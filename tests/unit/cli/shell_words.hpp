#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kubist::testing {

/// The words of each call of kubist in a line for a shell, without "kubist": of pipes, of lists
/// (&&, ;) and within "$(...)". Knows quotes, and leaves out redirections. No other shell syntax.
inline std::vector<std::vector<std::string>> kubist_calls(std::string_view line) {
  std::vector<std::vector<std::string>> calls;
  std::vector<std::string> words;
  std::string word;
  bool any = false;  // a word has begun, maybe ""
  const auto end_word = [&] {
    if (any) {
      words.push_back(std::move(word));
    }
    word.clear();
    any = false;
  };
  const auto end_call = [&] {
    end_word();
    for (std::size_t i = 0; i < words.size();) {
      const bool redirects = words[i] == ">" || words[i] == "<";
      const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
      redirects ? static_cast<void>(words.erase(at, words.size() > i + 1 ? at + 2 : at + 1))
                : static_cast<void>(++i);
    }
    if (!words.empty() && words[0] == "kubist") {
      calls.emplace_back(words.begin() + 1, words.end());
    }
    words.clear();
  };
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool substitutes = quote != '\'' && line.substr(i).starts_with("$(");
    if (substitutes) {
      const std::size_t end = line.find(')', i);
      for (auto& call : kubist_calls(line.substr(i + 2, end - i - 2))) {
        calls.push_back(std::move(call));
      }
      any = true;
      i = end;
    } else if (quote != 0) {
      c == quote ? static_cast<void>(quote = 0) : word.push_back(c);
    } else if (c == '\'' || c == '"') {
      quote = c;
      any = true;
    } else if (c == '|' || c == ';' || c == '&') {
      end_call();
    } else if (c == ' ') {
      end_word();
    } else {
      word.push_back(c);
      any = true;
    }
  }
  end_call();
  return calls;
}

}  // namespace kubist::testing
