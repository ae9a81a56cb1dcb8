#include <stdexcept>

#include <zlib.h>

#include <kubist/util/zip.hpp>

namespace kubist::util {

namespace {

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

}  // namespace

std::string zipped(std::string_view bytes) {
  std::string out(compressBound(bytes.size()), '\0');
  uLongf size = out.size();
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, bytes_of(bytes), bytes.size(),
                Z_BEST_SPEED) != Z_OK) {
    throw std::runtime_error("zlib has no memory");
  }
  return out.substr(0, size);  // what is kept has no spare room
}

std::string unzipped(std::string_view zipped, std::size_t size) {
  std::string out(size, '\0');
  uLongf got = size;
  if (uncompress(reinterpret_cast<Bytef*>(out.data()), &got, bytes_of(zipped), zipped.size()) !=
          Z_OK ||
      got != size) {
    throw std::runtime_error("zlib cannot read what it wrote");
  }
  return out;
}

}  // namespace kubist::util
