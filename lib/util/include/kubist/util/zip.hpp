#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace kubist::util {

/// The bytes in less memory (zlib, its fastest level), for this process only.
std::string zipped(std::string_view bytes);
/// The bytes again, of which there were `size`. Throws std::runtime_error where it is not so.
std::string unzipped(std::string_view zipped, std::size_t size);

}  // namespace kubist::util
