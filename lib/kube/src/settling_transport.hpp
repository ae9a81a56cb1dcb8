#pragma once
#include <memory>
#include <string>

#include <kubist/http/transport.hpp>

namespace kubist::kube {

/// Finds out what became of a write whose answer was lost (connection, time, 5xx without
/// Retry-After): reads the object back as whoever wrote, and sends the write again where it has not
/// been made and a second one does no harm. So a write is made once, or its first outcome is the
/// answer. The answer to one that was made is the object as it is now. Where it cannot be read,
/// idempotent ones are sent again all the same. Of a written status the object is read, which has
/// it, too: nobody needs the right to get a status by itself. Left as they are: dry runs, writes of
/// objects that the server names, JSON patches without a test, deletions without a uid.
class SettlingTransport : public http::Transport {
 public:
  /// `server`: the URL that the paths of the API come behind.
  SettlingTransport(std::shared_ptr<http::Transport> inner, std::string server)
      : m_inner(std::move(inner)), m_server(std::move(server)) {}
  http::Call start(http::Request request, http::Done done) override;

 private:
  std::shared_ptr<http::Transport> m_inner;
  std::string m_server;
};

}  // namespace kubist::kube
