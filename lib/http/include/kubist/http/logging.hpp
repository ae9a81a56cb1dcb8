#pragma once
#include <memory>
#include <string>
#include <string_view>

#include <kubist/http/transport.hpp>
#include <kubist/util/log.hpp>

namespace kubist::http {

/// Prints exchanges as kubectl does: -v6 method, URL, status and time; -v7 headers; -v8 bodies cut
/// at 1 KiB, -v9 at 10 KiB. Secrets are masked at every level: Authorization and the like, data and
/// stringData of Secrets, tokens, kubeconfigs; bodies that are not JSON are named by size only.
/// Any thread. What is printed of an answer comes from the thread that calls `done`, just before.
class LoggingTransport : public Transport {
 public:
  /// `log` must outlive every call.
  LoggingTransport(std::shared_ptr<Transport> inner, const util::Log& log);
  Call start(Request request, Done done) override;

 private:
  std::shared_ptr<Transport> m_inner;
  const util::Log& m_log;
};

/// The JSON text with every secret in it masked by "***"; "<N bytes of TYPE>" when it is not JSON.
/// `of_secrets`: the URL says that it is about Secrets, though the text may not (patches). Any
/// thread.
std::string redacted_body(std::string_view body, std::string_view content_type, bool of_secrets);

}  // namespace kubist::http
