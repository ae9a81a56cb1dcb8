#include <kubist/data/memory.hpp>

namespace kubist::data {

namespace {

// Of the standard library and malloc on 64 bits.
constexpr std::size_t k_map = 64;
constexpr std::size_t k_entry = 96;  // a node of std::map with key and value
constexpr std::size_t k_list = 32;
constexpr std::size_t k_string = 48;
constexpr std::size_t k_in_place = 15;  // bytes that a std::string holds itself

std::size_t heap_of(const std::string& text) {
  return text.size() > k_in_place ? text.size() + k_in_place : 0;
}

}  // namespace

std::size_t memory_of(const Json& value) {
  std::size_t bytes = sizeof(Json);
  if (value.is_string()) {
    bytes += k_string + heap_of(value.get_ref<const std::string&>());
  } else if (value.is_array()) {
    bytes += k_list;
    for (const Json& each : value) {
      bytes += memory_of(each);
    }
  } else if (value.is_object()) {
    bytes += k_map;
    for (const auto& [key, each] : value.get_ref<const Json::object_t&>()) {
      bytes += k_entry - sizeof(Json) + heap_of(key) + memory_of(each);
    }
  }
  return bytes;
}

}  // namespace kubist::data
