#include <algorithm>
#include <ctime>
#include <memory>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <kubist/util/key_pair.hpp>

namespace kubist::util {
namespace {

template <auto free>
struct Freed {
  template <class T>
  void operator()(T* value) const {
    free(value);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;

Bio bio_of(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// Else OpenSSL asks on the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

using Certificate = std::unique_ptr<X509, Freed<X509_free>>;

/// The next one of the text; null: there is none.
Certificate read_certificate(const Bio& text) {
  return Certificate(PEM_read_bio_X509(text.get(), nullptr, no_passphrase, nullptr));
}

}  // namespace

Result<> check_key_pair(std::string_view certificate_pem, std::string_view key_pem) {
  const Bio certificate_text = bio_of(certificate_pem);
  const Bio key_text = bio_of(key_pem);
  const Certificate certificate = read_certificate(certificate_text);
  const std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>> key(
      PEM_read_bio_PrivateKey(key_text.get(), nullptr, no_passphrase, nullptr));
  const bool belong =
      certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!certificate) {
    return fail(ErrorKind::invalid, "the certificate is no PEM certificate");
  }
  if (!key) {
    return fail(ErrorKind::invalid, "the key is no PEM private key, or has a passphrase");
  }
  if (!belong) {
    return fail(ErrorKind::invalid, "the key is not that of the certificate");
  }
  return {};
}

std::optional<std::chrono::system_clock::time_point> certificates_end(std::string_view pem) {
  std::optional<std::chrono::system_clock::time_point> last;
  const Bio text = bio_of(pem);
  while (const Certificate certificate = read_certificate(text)) {
    std::tm end{};
    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) == 1) {
      constexpr std::time_t k_latest = 9'000'000'000;  // of what system_clock holds; 9999 is not
      const auto at = std::chrono::system_clock::from_time_t(std::min(::timegm(&end), k_latest));
      last = last ? std::max(*last, at) : at;
    }
  }
  ERR_clear_error();
  return last;
}

}  // namespace kubist::util
