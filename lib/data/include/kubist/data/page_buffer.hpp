#pragma once
#include <cstddef>
#include <memory>
#include <string_view>

namespace kubist::data {

/// Bytes of one reply, followed by the spare bytes that the parser reads past the end. Reused from
/// page to page, so that a listing of any length needs one page of memory. Not copyable; one thread
/// at a time.
class PageBuffer {
 public:
  PageBuffer() = default;
  explicit PageBuffer(std::size_t capacity) { reserve(capacity); }

  /// Forgets the content, keeps the memory.
  void clear() { m_size = 0; }
  void append(std::string_view bytes);
  void reserve(std::size_t capacity);
  std::string_view view() const { return {m_bytes.get(), m_size}; }
  std::size_t size() const { return m_size; }
  std::size_t capacity() const { return m_capacity; }

 private:
  std::unique_ptr<char[]> m_bytes;
  std::size_t m_size = 0;
  std::size_t m_capacity = 0;  ///< without the padding
};

}  // namespace kubist::data
