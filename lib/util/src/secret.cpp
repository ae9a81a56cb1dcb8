#include <cstring>

#include <kubist/util/secret.hpp>

namespace kubist::util {

Secret& Secret::operator=(const Secret& other) {
  if (this != &other) {
    wipe();
    m_value = other.m_value;
  }
  return *this;
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe();
    m_value = other.m_value;
    other.wipe();
  }
  return *this;
}

void Secret::wipe() noexcept {
  explicit_bzero(m_value.data(), m_value.size());
  m_value.clear();
}

}  // namespace kubist::util
