#pragma once
#include <memory>

#include <kubist/http/transport.hpp>

namespace kubist::kube {

/// Does each part of the URL's path pass check_name()? "/" passes, and so does a slash at the end
/// of what a Service or a pod is asked for. Error: invalid, with the method and the URL.
util::Result<> check_path(const http::Request& request);

/// The last check before a request leaves: whatever made its path, no part of it is a name that a
/// server or a proxy would take for another place. A refused call gets check_path()'s error inside
/// start(); nothing is sent.
class PathGuard : public http::Transport {
 public:
  explicit PathGuard(std::shared_ptr<http::Transport> inner) : m_inner(std::move(inner)) {}
  http::Call start(http::Request request, http::Done done) override;

 private:
  std::shared_ptr<http::Transport> m_inner;
};

}  // namespace kubist::kube
