#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kubist::util {

/// The SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);
/// The 32 raw bytes.
std::string sha256_raw(std::string_view bytes);

/// HMAC-SHA256 (RFC 2104), 32 raw bytes.
std::string hmac_sha256_raw(std::string_view key, std::string_view bytes);

/// SHA-256 over data that arrives in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(std::string_view bytes);
  /// Ends the computation; call once.
  std::string finish_hex();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace kubist::util
