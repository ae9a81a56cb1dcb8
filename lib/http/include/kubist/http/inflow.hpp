#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <kubist/http/transport.hpp>

namespace kubist::http {

/// The body of an answer that comes piece by piece, for who takes it without waiting for it.
/// stream() waits. Any thread.
class Inflow {
 public:
  /// What has come and was not taken before. The outcome comes last, after all bytes.
  struct News {
    std::string bytes;  ///< of the body of a 2xx answer
    std::optional<util::Result<Response>> outcome;
    bool empty() const { return bytes.empty() && !outcome; }
  };

  /// Sends the request. `on_news` is called when there is something to take, at least once after
  /// the last take() that found nothing, on the transport's thread or within this call: be quick,
  /// do not call this object. More than 64 MB that nobody takes break the connection off as
  /// k_failure_lost. `request` must not have an on_chunk; its on_head is called while it is open
  /// only.
  Inflow(Transport& transport, Request request, std::function<void()> on_news);
  /// Ends the exchange soon, if it has not ended, and no callback runs from now on.
  ~Inflow();
  Inflow(const Inflow&) = delete;
  Inflow& operator=(const Inflow&) = delete;

  News take();
  /// Ends the exchange soon, if it has not ended: the outcome is of kind cancelled.
  void cancel() const;

 private:
  struct Pipe;
  std::shared_ptr<Pipe> m_pipe;  ///< shared with the transport
  Call m_call;
};

}  // namespace kubist::http
