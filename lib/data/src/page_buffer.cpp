#include <algorithm>
#include <cstring>

#include <kubist/data/page_buffer.hpp>

namespace kubist::data {
namespace {

constexpr std::size_t k_padding = 64;  // SIMDJSON_PADDING is 32

}  // namespace

void PageBuffer::reserve(std::size_t capacity) {
  if (capacity <= m_capacity && m_bytes != nullptr) {
    return;
  }
  auto bytes = std::make_unique_for_overwrite<char[]>(capacity + k_padding);
  if (m_size > 0) {
    std::memcpy(bytes.get(), m_bytes.get(), m_size);
  }
  std::memset(bytes.get() + m_size, 0, k_padding);
  m_bytes = std::move(bytes);
  m_capacity = capacity;
}

void PageBuffer::append(std::string_view bytes) {
  if (m_bytes == nullptr || m_size + bytes.size() > m_capacity) {
    reserve(std::max(m_size + bytes.size(), m_capacity + m_capacity / 2));
  }
  if (!bytes.empty()) {
    std::memcpy(m_bytes.get() + m_size, bytes.data(), bytes.size());
  }
  m_size += bytes.size();
  std::memset(m_bytes.get() + m_size, 0, k_padding);
}

}  // namespace kubist::data
