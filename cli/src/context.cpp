#include <unistd.h>

#include <kubist/cli/context.hpp>
#include <kubist/util/fs.hpp>

#include "context_guard.hpp"
#include "report/reports.hpp"
#include "terminal/picture.hpp"

namespace kubist::cli {
namespace {

bool color(const Arguments& arguments, bool terminal) {
  const std::string when = arguments.text("color");
  if (when != "auto") {
    return when == "always";
  }
  return terminal && util::environment("NO_COLOR").empty() && util::environment("TERM") != "dumb";
}

bool redraws(int file) { return ::isatty(file) == 1 && util::environment("TERM") != "dumb"; }

}  // namespace

Context::Context(const Arguments& arguments, Sink& out, Sink& err, util::Cancellation& cancellation)
    : m_arguments(arguments),
      m_out(out),
      m_reports(std::make_unique<Reports>()),
      m_picture(std::make_unique<Picture>(err)),
      m_log(static_cast<int>(arguments.number("v")),
            [this](std::string_view line) { m_picture->write(line); }),
      m_cancellation(cancellation) {}
Context::~Context() = default;

kube::Overrides Context::overrides() const {
  const Arguments& given = m_arguments;
  kube::Overrides overrides;
  overrides.kubeconfig = given.text("kubeconfig");
  overrides.context = m_used.empty() ? given.text("context") : m_used;
  overrides.cluster = given.text("cluster");
  overrides.user = given.text("user");
  overrides.ns = given.text("namespace");
  overrides.server = given.text("server");
  overrides.tls_server_name = given.text("tls-server-name");
  overrides.certificate_authority = given.text("certificate-authority");
  if (given.given("insecure-skip-tls-verify")) {
    overrides.insecure_skip_tls_verify = given.boolean("insecure-skip-tls-verify");
  }
  overrides.client_certificate = given.text("client-certificate");
  overrides.client_key = given.text("client-key");
  overrides.token = util::Secret(given.text("token"));
  overrides.as = given.text("as");
  overrides.as_uid = given.text("as-uid");
  overrides.as_groups = given.list("as-group");
  return overrides;
}

kube::ClientOptions Context::client_options() {
  if (!m_engine) {
    stop();  // ahead of the engine's thread
    m_engine = std::make_shared<http::CurlEngine>();
  }
  kube::ClientOptions options;
  options.user_agent = "kubist/" KUBIST_VERSION;
  options.engine = m_engine;
  options.log = &m_log;
  options.on_exchange = m_on_exchange;
  if (m_guard) {
    options.before_write = [guard = m_guard](const http::Request& request) {
      return guard->may_write(request);
    };
  }
  options.may_prompt = ::isatty(STDIN_FILENO) == 1;
  options.request_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
      m_arguments.duration("request-timeout"));
  return options;
}

util::Result<std::shared_ptr<kube::Client>> Context::client() {
  if (!m_client) {
    KUBIST_TRY(auto access, kube::find_access(overrides(), kube::process_environment()));
    m_guard = guard_of(access.context_name);
    KUBIST_TRY(m_client, kube::Client::connect(std::move(access), client_options()));
  }
  return m_client;
}

kube::ClientOptions Context::client_options_of(const std::string& guard) {
  kube::ClientOptions options = client_options();
  options.before_write = [rules = guard_of(guard)](const http::Request& request) {
    return rules->may_write(request);
  };
  return options;
}

util::Result<std::shared_ptr<kube::Client>> Context::client_of(kube::ClusterAccess access,
                                                               const std::string& guard) {
  return kube::Client::connect(std::move(access), client_options_of(guard));
}

util::Result<std::optional<std::string>> Context::ask(const std::string& question) {
  util::Result<std::optional<std::string>> answer;
  m_picture->aside([&] { answer = ask_terminal(question, stop()); });
  return answer;
}

std::shared_ptr<ContextGuard> Context::guard_of(const std::string& context) {
  auto& guard = m_guards[context];
  if (!guard) {
    guard = std::make_shared<ContextGuard>(
        context, m_arguments.boolean("yes"),
        [this](const std::string& question) { return ask(question); });
  }
  return guard;
}

util::Result<> Context::confirm_loss(const std::string& loss) {
  if (m_arguments.boolean("yes")) {
    return {};
  }
  KUBIST_TRY(const auto answer, ask(loss + " This cannot be undone.\nType yes to go on: "));
  if (!answer || *answer == "yes") {
    return {};
  }
  return util::fail(util::make_error(util::ErrorKind::denied, "nothing was deleted: not confirmed",
                                     "--dry-run=client lists what would go. --yes confirms.",
                                     "NotConfirmed"));
}

util::Result<std::shared_ptr<kube::Client>> Context::use(const std::string& name) {
  m_used = name;
  m_client = m_others[name];
  m_guard = guard_of(name);
  KUBIST_TRY(m_others[name], client());
  return m_client;
}

util::Result<std::string> Context::ns() {
  KUBIST_TRY(const auto connected, client());
  return connected->default_namespace();
}

bool Context::ns_given() const { return !m_arguments.text("namespace").empty(); }

bool Context::out_is_terminal() const { return ::isatty(STDOUT_FILENO) == 1; }
bool Context::out_redraws() const { return redraws(STDOUT_FILENO); }
bool Context::out_color() const { return color(m_arguments, out_is_terminal()); }
bool Context::err_is_terminal() const { return redraws(STDERR_FILENO); }
bool Context::err_color() const { return color(m_arguments, err_is_terminal()); }
}  // namespace kubist::cli
