#include <future>

#include <kubist/http/transport.hpp>

namespace kubist::http {

util::Result<Response> send(Transport& transport, Request request, std::stop_token stop) {
  if (stop.stop_requested()) {
    return util::fail(util::ErrorKind::cancelled, request.method + " not sent: cancelled");
  }
  // Shared: the worker may still be inside set_value when this thread has its answer already.
  auto promise = std::make_shared<std::promise<util::Result<Response>>>();
  auto future = promise->get_future();
  const Call call = transport.start(std::move(request), [promise](util::Result<Response> outcome) {
    promise->set_value(std::move(outcome));
  });
  const std::stop_callback on_stop(stop, [&call] { call.cancel(); });
  return future.get();
}

}  // namespace kubist::http
