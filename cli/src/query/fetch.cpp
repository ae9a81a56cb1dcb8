#include "fetch.hpp"

#include <future>
#include <memory>

#include <kubist/data/page_buffer.hpp>

namespace kubist::cli {

std::vector<util::Result<kube::Reply>> fetch_all(kube::Client& client,
                                                 const std::vector<kube::ApiCall>& calls,
                                                 const std::stop_token& stop) {
  std::vector<std::future<util::Result<kube::Reply>>> pending;
  std::vector<http::Call> handles;
  for (const kube::ApiCall& call : calls) {
    auto promise = std::make_shared<std::promise<util::Result<kube::Reply>>>();
    pending.push_back(promise->get_future());
    handles.push_back(client.start(call, [promise](util::Result<kube::Reply> reply) {
      promise->set_value(std::move(reply));
    }));
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

util::Result<> each_named(const GetRun& run, kube::Client& client,
                          const std::vector<kube::ApiCall>& calls, std::vector<util::Error>& errors,
                          const kube::PageHandler& on_page) {
  data::PageBuffer page;
  for (auto& reply : fetch_all(client, calls, run.stop)) {
    if (reply) {
      page.clear();
      page.append(reply->body);
      KUBIST_CHECK(on_page(page));
    } else if (reply.error().kind != util::ErrorKind::not_found || !run.options.ignore_not_found) {
      errors.push_back(std::move(reply).error());
    }
  }
  return {};
}

}  // namespace kubist::cli
