// Runs a harness over files, and over cut and altered copies of them, without libFuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

void run_variants(const std::string& text) {
  run(text);
  std::mt19937 random(static_cast<std::uint32_t>(text.size()));  // the same every time
  for (int i = 0; i < 200 && !text.empty(); ++i) {
    std::string variant = text;
    const std::size_t at = random() % text.size();
    switch (i % 4) {
      case 0: variant.resize(at); break;
      case 1: variant[at] = static_cast<char>(random()); break;
      case 2: variant.erase(at, random() % 8); break;
      default: variant.insert(at, text, random() % text.size(), random() % 16); break;
    }
    run(variant);
  }
}

}  // namespace

int main(int count, char** arguments) {
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
