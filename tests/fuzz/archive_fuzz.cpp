// State archives: the input is the tar, its gzip is made here. Nothing may be written outside of
// the folder.
#include <filesystem>

#include <zlib.h>

#include <kubist/state/archive.hpp>
#include <kubist/util/fs.hpp>

#include "harness.hpp"

using namespace kubist;

namespace {

std::string gzipped(std::string_view text) {
  z_stream stream{};
  std::string out(compressBound(text.size()) + 32, '\0');
  testing::require(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                   "zlib");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  testing::require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = testing::text_of(bytes, size);
  for (const std::string& archive : {std::string(text), gzipped(text)}) {
    const util::TempDir world;
    const std::filesystem::path folder = world.path() / "state";
    std::filesystem::create_directory(folder);
    if (state::unpack(archive, folder, std::size_t{1} << 20U)) {
      testing::require(state::pack(folder, std::size_t{4} << 20U).has_value(),
                       "what was unpacked can be packed");
    }
    const auto entries = std::distance(std::filesystem::directory_iterator(world.path()), {});
    testing::require(entries == 1, "nothing appears beside the folder");
  }
  return 0;
}
