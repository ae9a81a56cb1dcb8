#include "fetch.hpp"

#include <future>
#include <memory>

namespace kubist::cli {

std::vector<util::Result<kube::Reply>> fetch_all(kube::Client& client,
                                                 const std::vector<kube::ApiCall>& calls,
                                                 const std::stop_token& stop) {
  std::vector<std::future<util::Result<kube::Reply>>> pending;
  std::vector<http::Call> handles;
  for (const kube::ApiCall& call : calls) {
    auto promise = std::make_shared<std::promise<util::Result<kube::Reply>>>();
    pending.push_back(promise->get_future());
    handles.push_back(client.start(
        call, [promise](util::Result<kube::Reply> reply) { promise->set_value(std::move(reply)); }));
  }
  const std::stop_callback on_stop(stop, [&handles] {
    for (const http::Call& handle : handles) {
      handle.cancel();
    }
  });
  std::vector<util::Result<kube::Reply>> replies;
  for (auto& future : pending) {
    replies.push_back(future.get());
  }
  return replies;
}

}  // namespace kubist::cli
