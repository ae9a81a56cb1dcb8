// Runs a harness over files, and over cut and altered copies of them, without libFuzzer.
// KUBIST_FUZZ_ROUNDS: how many copies of each, 200 where it is not set.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "harness.hpp"

namespace {

std::string g_input;  // of the run now, for the report of a crash

void show_input(int) {
  std::fputs("input:", stderr);
  for (const char c : g_input) {
    std::fprintf(stderr, c > ' ' && c <= '~' && c != '\\' ? "%c" : "\\x%02x", c & 0xFF);
  }
  std::fputc('\n', stderr);
}

void run(std::string text) {
  g_input = std::move(text);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(g_input.data()), g_input.size());
}

constexpr std::string_view k_marks = "0-:{}[]\"'\\\n \t,&*!|>#.$@";  // of YAML, JSON and JSONPath

void alter(std::string& text, std::mt19937& random) {
  const std::size_t at = random() % text.size();
  switch (random() % 5) {
    case 0:
      text.resize(at);
      break;
    case 1:
      text[at] = static_cast<char>(random());
      break;
    case 2:
      text.erase(at, random() % 8);
      break;
    case 3:
      text.insert(at, std::string(text, random() % text.size(), random() % 16));
      break;
    default:
      text.insert(at, 1 + random() % 4, k_marks[random() % k_marks.size()]);
      break;
  }
}

void run_variants(const std::string& text) {
  run(text);
  const char* wanted = std::getenv("KUBIST_FUZZ_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 200;
  std::mt19937 random(static_cast<std::uint32_t>(text.size()));  // the same every time
  for (int i = 0; i < rounds; ++i) {
    std::string variant = text;
    for (int change = 0; change <= i % 4 && !variant.empty(); ++change) {
      alter(variant, random);
    }
    run(std::move(variant));
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::signal(SIGABRT, show_input);
  std::signal(SIGSEGV, [](int) {
    show_input(0);
    std::_Exit(139);
  });
  std::size_t files = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[i])) {
      if (entry.is_regular_file()) {
        std::ifstream in(entry.path(), std::ios::binary);
        run_variants({std::istreambuf_iterator<char>(in), {}});
        ++files;
      }
    }
  }
  std::printf("%zu files\n", files);
  return files > 0 ? 0 : 1;  // an empty corpus would prove nothing
}
