#pragma once
#include <memory>
#include <stop_token>
#include <string>

#include <kubist/cli/command.hpp>
#include <kubist/cli/sink.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/log.hpp>

namespace kubist::cli {

/// What a command may use of the world. Built by run() for one command; one thread, but log() may
/// be used by any.
class Context {
 public:
  Context(const Arguments& arguments, Sink& out, Sink& err, std::stop_token stop);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The result goes here; nothing else does.
  Sink& out() { return m_out; }
  /// Messages, warnings and traces for people.
  const util::Log& log() const { return m_log; }
  void log_as(util::LogForm form) { m_log.set_form(form); }  ///< before there are other threads
  /// Asked to stop by a signal.
  const std::stop_token& stop() const { return m_stop; }
  const Arguments& arguments() const { return m_arguments; }

  /// What the global flags change of the kubeconfig.
  kube::Overrides overrides() const;
  /// Told of each request of all clients from now on; what it uses lives as long as this.
  void on_exchange(http::ExchangeSink sink) { m_on_exchange = std::move(sink); }
  /// For clients of other clusters: user agent, shared engine, traces.
  kube::ClientOptions client_options();
  /// The cluster that kubist is pointed at; made on the first call, nothing is sent.
  util::Result<std::shared_ptr<kube::Client>> client();
  /// The namespace in effect: --namespace, else the context's, else "default".
  util::Result<std::string> ns();
  /// Was it given by --namespace?
  bool ns_given() const;

  /// Is standard output a terminal?
  bool out_is_terminal() const;
  /// May results use colour: --color, NO_COLOR, TERM, terminal.
  bool out_color() const;

 private:
  const Arguments& m_arguments;
  Sink& m_out;
  util::Log m_log;
  std::stop_token m_stop;
  http::ExchangeSink m_on_exchange;
  std::shared_ptr<http::CurlEngine> m_engine;
  std::shared_ptr<kube::Client> m_client;
};

}  // namespace kubist::cli
