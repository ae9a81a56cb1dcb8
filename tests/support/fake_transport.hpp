#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kubist/http/transport.hpp>
#include <kubist/util/text.hpp>

#include "deliver.hpp"

namespace kubist::testing {

/// A Transport that answers from a script, inside start(). Any thread.
///
///     auto fake = std::make_shared<FakeTransport>();
///     fake->reply("GET", "/api/v1/namespaces/x/configmaps/a", 200, R"({"kind":"ConfigMap"})");
///     client = kube::Client::connect({.server = "http://fake"}, {.transport = fake});
///     ... fake->sent()[0].url
///
/// Rules are looked through in order; each reply() answers once, each always() for ever. A request
/// that no rule matches gets a 404 Status. A path matches the URL without scheme and host, with or
/// without its query; a trailing '*' stands for any rest.
class FakeTransport : public http::Transport {
 public:
  using Handler = std::function<util::Result<http::Response>(const http::Request&)>;

  void reply(std::string method, std::string path, int status, std::string body,
             http::Headers headers = {}) {
    add(std::move(method), std::move(path), constant(status, std::move(body), std::move(headers)),
        true);
  }
  void always(std::string method, std::string path, int status, std::string body,
              http::Headers headers = {}) {
    add(std::move(method), std::move(path), constant(status, std::move(body), std::move(headers)),
        false);
  }
  void fail(std::string method, std::string path, util::Error error) {
    add(
        std::move(method), std::move(path),
        [error](const http::Request&) { return util::Result<http::Response>(tl::unexpect, error); },
        true);
  }
  void handle(std::string method, std::string path, Handler handler) {
    add(std::move(method), std::move(path), std::move(handler), false);
  }

  /// For a Handler: an answer of JSON text, unless the headers say what it is.
  static util::Result<http::Response> answer(int status, std::string body,
                                             http::Headers headers = {}) {
    http::Response response;
    response.status = status;
    response.body = std::move(body);
    response.headers = std::move(headers);
    if (!http::find_header(response.headers, "Content-Type")) {
      response.headers.push_back({"Content-Type", "application/json"});
    }
    return response;
  }

  /// Every request so far, in order.
  std::vector<http::Request> sent() const {
    const std::lock_guard lock(m_mutex);
    return m_sent;
  }
  /// "METHOD path?query" of every request so far.
  std::vector<std::string> log() const {
    std::vector<std::string> lines;
    for (const http::Request& request : sent()) {
      lines.push_back(request.method + ' ' + std::string(target(request.url)));
    }
    return lines;
  }

  http::Call start(http::Request request, http::Done done) override {
    Handler handler = take(request);
    deliver(request, handler(request), done);
    return {};
  }

 private:
  struct Rule {
    std::string method;
    std::string path;
    Handler handler;
    bool once;
  };

  static std::string_view target(std::string_view url) {
    const auto slash = url.find('/', url.find("://") + 3);
    return slash == std::string_view::npos ? "/" : url.substr(slash);
  }
  static bool matches(const Rule& rule, const http::Request& request) {
    const std::string_view whole = target(request.url);
    const std::string_view path = whole.substr(0, whole.find('?'));
    const std::string_view pattern = rule.path;
    return rule.method == request.method &&
           (pattern == whole || pattern == path ||
            (pattern.ends_with('*') && whole.starts_with(pattern.substr(0, pattern.size() - 1))));
  }
  static Handler constant(int status, std::string body, http::Headers headers) {
    return [=](const http::Request&) { return answer(status, body, headers); };
  }
  void add(std::string method, std::string path, Handler handler, bool once) {
    const std::lock_guard lock(m_mutex);
    m_rules.push_back({std::move(method), std::move(path), std::move(handler), once});
  }
  Handler take(const http::Request& request) {
    const std::lock_guard lock(m_mutex);
    m_sent.push_back(request);
    for (auto rule = m_rules.begin(); rule != m_rules.end(); ++rule) {
      if (matches(*rule, request)) {
        Handler handler = rule->handler;
        if (rule->once) {
          m_rules.erase(rule);
        }
        return handler;
      }
    }
    return constant(404,
                    R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound",)"
                    R"("message":"no rule of the fake matches","code":404})",
                    {});
  }

  mutable std::mutex m_mutex;
  std::deque<Rule> m_rules;
  std::vector<http::Request> m_sent;
};

}  // namespace kubist::testing
