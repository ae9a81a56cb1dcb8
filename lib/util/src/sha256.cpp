#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <kubist/util/sha256.hpp>

namespace kubist::util {
namespace {

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view k_hex = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {k_hex[byte >> 4U], k_hex[byte & 15U]};
  }
  return text;
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() { EVP_DigestInit_ex(context, EVP_sha256(), nullptr); }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  std::string finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context, digest.data(), &size);
    return {digest.begin(), digest.begin() + size};
  }
};

Sha256::Sha256() : m_state(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
void Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(m_state->context, bytes.data(), bytes.size());
}
std::string Sha256::finish_hex() { return to_hex(m_state->finish()); }

std::string sha256_raw(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return {digest.begin(), digest.begin() + size};
}

std::string hmac_sha256_raw(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(), &size);
  return {digest.begin(), digest.begin() + size};
}

std::string sha256_hex(std::string_view bytes) { return to_hex(sha256_raw(bytes)); }

}  // namespace kubist::util
