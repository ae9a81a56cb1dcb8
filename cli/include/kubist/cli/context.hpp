#pragma once
#include <map>
#include <memory>
#include <string>

#include <kubist/cli/command.hpp>
#include <kubist/cli/sink.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/cancel.hpp>
#include <kubist/util/log.hpp>

namespace kubist::cli {

class ContextGuard;
class Picture;
class Reports;

/// What a command may use of the world. Built by run() for one command; one thread, but log() may
/// be used by any.
class Context {
 public:
  Context(const Arguments& arguments, Sink& out, Sink& err, util::Cancellation& cancellation);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The result goes here; nothing else does.
  Sink& out() { return m_out; }
  /// What --report asks for, if the command has that flag; open before the command runs.
  Reports& reports() { return *m_reports; }
  /// Messages, warnings and traces for people.
  const util::Log& log() const { return m_log; }
  void log_as(util::LogForm form) { m_log.set_form(form); }  ///< before there are other threads
  /// Asked to stop by a signal; before there are other threads, as client_options() does.
  const std::stop_token& stop() const { return m_cancellation.token(); }
  const Arguments& arguments() const { return m_arguments; }

  /// What the global flags change of the kubeconfig.
  kube::Overrides overrides() const;
  /// Told of each request of all clients from now on; what it uses lives as long as this.
  void on_exchange(http::ExchangeSink sink) { m_on_exchange = std::move(sink); }
  /// For clients of other clusters: user agent, shared engine, traces, and what guards writes of
  /// the context in effect, once there is a client().
  kube::ClientOptions client_options();
  /// The same, with what guards writes of the context `guard` of the kubeconfig.
  kube::ClientOptions client_options_of(const std::string& guard);
  /// The cluster that kubist is pointed at; made on the first call, nothing is sent.
  util::Result<std::shared_ptr<kube::Client>> client();
  /// Another one, whose writes are guarded as those of the context `guard` of the kubeconfig.
  util::Result<std::shared_ptr<kube::Client>> client_of(kube::ClusterAccess access,
                                                        const std::string& guard);
  /// From here on this context of the kubeconfig is in effect, as by --context. As client().
  util::Result<std::shared_ptr<kube::Client>> use(const std::string& name);
  /// The namespace in effect: --namespace, else the context's, else "default".
  util::Result<std::string> ns();
  /// Was it given by --namespace?
  bool ns_given() const;

  /// A person at the terminal says yes to what cannot be undone, which `loss` says as a sentence.
  /// Without a terminal, or with --yes, nobody is asked. Denied: the answer was another one.
  util::Result<> confirm_loss(const std::string& loss);

  /// What is drawn at the end of standard error, below what log() writes.
  Picture& picture() { return *m_picture; }

  /// Is standard output a terminal?
  bool out_is_terminal() const;
  /// One on which lines can take the place of others?
  bool out_redraws() const;
  /// May results use colour: --color, NO_COLOR, TERM, terminal.
  bool out_color() const;
  /// The same of standard error; not where TERM is dumb, which cannot be drawn on.
  bool err_is_terminal() const;
  bool err_color() const;

 private:
  std::shared_ptr<ContextGuard> guard_of(const std::string& context);
  util::Result<std::optional<std::string>> ask(const std::string& question);
  const Arguments& m_arguments;
  Sink& m_out;
  std::unique_ptr<Reports> m_reports;
  std::unique_ptr<Picture> m_picture;  ///< m_log writes through it
  util::Log m_log;
  util::Cancellation& m_cancellation;
  http::ExchangeSink m_on_exchange;
  std::shared_ptr<http::CurlEngine> m_engine;
  std::map<std::string, std::shared_ptr<ContextGuard>> m_guards;  ///< by their contexts
  std::shared_ptr<ContextGuard> m_guard;                          ///< of the context in effect
  std::shared_ptr<kube::Client> m_client;
  std::string m_used;                                             ///< by use()
  std::map<std::string, std::shared_ptr<kube::Client>> m_others;  ///< by use(), by their contexts
};

}  // namespace kubist::cli
