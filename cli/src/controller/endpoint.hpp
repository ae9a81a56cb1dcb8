#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <kubist/util/result.hpp>

namespace kubist::cli {

/// What a GET brings.
struct Page {
  int status = 200;
  std::string body;
  std::string type = "text/plain; charset=utf-8";
};

/// A plain HTTP server for a few small pages, on threads of its own: eight requests at once, one on
/// each connection. A client that sends or takes nothing for two seconds is cut off. There is no
/// limit on a whole request: eight clients that send a byte now and then keep others waiting. All
/// other paths are 404.
class Endpoint {
 public:
  using Pages = std::map<std::string, std::function<Page()>>;  ///< by path; called by any thread
  /// Listens until it is destroyed. `address` is HOST:PORT; without a host all of the machine's,
  /// port 0 for any that is free. Usage: it is no address. Unavailable: it cannot be had.
  static util::Result<std::unique_ptr<Endpoint>> listen(const std::string& address, Pages pages);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  /// HOST:PORT as it was given, with the port that it has.
  const std::string& address() const;

 private:
  struct State;
  explicit Endpoint(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace kubist::cli
