#pragma once
#include <functional>
#include <memory>
#include <string_view>

#include <kubist/http/transport.hpp>

namespace kubist::http {

/// Told of each exchange at its end: its method, its URL and the status of the answer (0: there was
/// none). On the worker's thread: be quick, do not throw.
using ExchangeSink = std::function<void(std::string_view method, std::string_view url, int status)>;

/// Tells of each exchange.
class ObservingTransport : public Transport {
 public:
  ObservingTransport(std::shared_ptr<Transport> inner, ExchangeSink sink)
      : m_inner(std::move(inner)), m_sink(std::move(sink)) {}
  Call start(Request request, Done done) override;

 private:
  std::shared_ptr<Transport> m_inner;
  ExchangeSink m_sink;
};

}  // namespace kubist::http
