#include <mutex>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "../error_text.hpp"
#include "../log_sources.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

util::Result<> read_since(const Arguments& arguments, kube::LogOptions& options) {
  const bool since = arguments.given("since");
  options.since_time = arguments.text("since-time");
  if (since && !options.since_time.empty()) {
    return util::fail(ErrorKind::usage, "--since and --since-time cannot go together");
  }
  if (!options.since_time.empty() && !util::parse_time(options.since_time)) {
    return util::fail(ErrorKind::usage,
                      cat("--since-time is a time such as 2026-01-02T15:04:05Z, not \"",
                          options.since_time, '"'));
  }
  const auto age = arguments.duration("since");
  if (age.count() < 0) {
    return util::fail(ErrorKind::usage, "--since cannot be negative");
  }
  if (age.count() > 0) {
    options.since_seconds =
        std::max<std::int64_t>(1, std::chrono::round<std::chrono::seconds>(age).count());
  }
  return {};
}

util::Result<kube::LogOptions> log_options(const Arguments& arguments) {
  constexpr long long k_tail_of_selected = 10;
  kube::LogOptions options;
  options.follow = arguments.boolean("follow");
  options.previous = arguments.boolean("previous");
  options.timestamps = arguments.boolean("timestamps");
  KUBIST_CHECK(read_since(arguments, options));
  const bool selected = !arguments.text("selector").empty() && !arguments.given("tail");
  const long long tail = selected ? k_tail_of_selected : arguments.number("tail");
  if (tail < -1) {
    return util::fail(ErrorKind::usage, "--tail must be greater than or equal to -1");
  }
  if (tail >= 0) {
    options.tail_lines = tail;
  }
  return options;
}

/// Prints what the containers wrote: one after the other, or all at once where they are followed.
class LogPrinter {
 public:
  LogPrinter(Context& context, kube::Client& client, kube::LogOptions options)
      : m_context(context),
        m_client(client),
        m_options(std::move(options)),
        m_prefix(context.arguments().boolean("prefix") || context.arguments().boolean("all-pods")),
        m_ignore_errors(context.arguments().boolean("ignore-errors")),
        m_forward(context.stop(), [this] { m_over.request_stop(); }) {}

  util::Result<> print(const std::vector<LogSource>& sources) {
    util::for_each_index(sources.size(), m_options.follow ? sources.size() : 1,
                         [&](std::size_t i) { print_one(sources[i]); });
    return m_failed ? util::fail(*m_failed) : util::Result<>{};
  }

 private:
  void print_one(const LogSource& source) {
    if (m_over.stop_requested()) {
      return;
    }
    kube::LogOptions options = m_options;
    options.container = source.container;
    const std::string prefix =
        m_prefix ? cat("[pod/", source.pod, '/', source.container, "] ") : std::string();
    auto ended = m_client.follow_log(
        source.ns, source.pod, options, [&](std::string_view line) { return write(prefix, line); },
        m_over.get_token());
    if (!ended && !m_over.stop_requested()) {
      failed(std::move(ended).error());
    }
  }

  /// False: nobody reads on.
  bool write(const std::string& prefix, std::string_view line) {
    const std::lock_guard lock(m_mutex);
    m_context.out().write(cat(prefix, line, '\n'));
    if (m_options.follow) {
      m_context.out().flush();
    }
    if (m_context.out().closed()) {
      m_over.request_stop();
    }
    return !m_over.stop_requested();
  }

  void failed(util::Error error) {
    const std::lock_guard lock(m_mutex);
    if (m_ignore_errors) {
      m_context.log().line(error_text(error));
    } else if (!m_failed) {
      m_failed = std::move(error);
      m_over.request_stop();
    }
  }

  Context& m_context;
  kube::Client& m_client;
  const kube::LogOptions m_options;
  const bool m_prefix;
  const bool m_ignore_errors;
  std::mutex m_mutex;  ///< of the sink and what failed
  std::optional<util::Error> m_failed;
  std::stop_source m_over;
  std::stop_callback<std::function<void()>> m_forward;
};

util::Result<int> run_logs(Context& context, const Arguments& arguments) {
  KUBIST_TRY(kube::LogOptions options, log_options(arguments));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto sources, log_sources(context, arguments));
  const auto most =
      static_cast<std::size_t>(std::max<long long>(0, arguments.number("max-log-requests")));
  if (options.follow && sources.size() > 1 && sources.size() > most) {
    return util::fail(ErrorKind::invalid,
                      cat("you are attempting to follow ", sources.size(),
                          " log streams, but at most ", most, " are allowed at once"),
                      "--max-log-requests allows more.");
  }
  LogPrinter printer(context, *client, std::move(options));
  KUBIST_CHECK(printer.print(sources));
  return context.stop().stop_requested() ? k_interrupted : k_ok;
}

std::vector<Flag> logs_flags() {
  return {
      {"follow", 'f', FlagKind::boolean, "", "go on until the containers end"},
      {"container", 'c', FlagKind::text, "NAME", "this container of the pods"},
      {"all-containers", 0, FlagKind::boolean, "", "all containers of the pods"},
      {"all-pods", 0, FlagKind::boolean, "", "all pods of the workload; means --prefix"},
      {"selector", 'l', FlagKind::text, "SELECTOR", "the pods with these labels"},
      {"previous", 'p', FlagKind::boolean, "", "of the container's run before this one"},
      {"since", 0, FlagKind::duration, "DURATION", "only what is not older"},
      {"since-time", 0, FlagKind::text, "TIME", "only what is not older than this time (RFC 3339)"},
      {"tail", 0, FlagKind::number, "N",
       "only the last N lines of each; -1 means all; with -l 10 where it is not given", "-1"},
      {"timestamps", 0, FlagKind::boolean, "", "each line with its time"},
      {"prefix", 0, FlagKind::boolean, "", "each line with its pod and container"},
      {"max-log-requests", 0, FlagKind::number, "N", "how many may be followed at once", "5"},
      {"ignore-errors", 0, FlagKind::boolean, "", "go on with the others where one fails"},
      {"pod-running-timeout", 0, FlagKind::duration, "DURATION",
       "how long to wait for the first pod of a workload", "20s"}};
}

}  // namespace

CommandSpec logs_command() {
  return {.path = "logs",
          .group = "Objects of any kind, as kubectl",
          .summary = "Print what the containers of pods wrote",
          .details =
              "Of a pod, of one pod of a workload (deployment/web, job/x, service/web), or of all "
              "pods that -l selects. A log that is followed goes on where it stood when the "
              "connection breaks. On a terminal, control characters other than colours are shown "
              "as \\xNN. 'kubist deployitem logs' has what a DeployItem's runs wrote.",
          .arguments = "(POD | TYPE/NAME) [CONTAINER] | -l SELECTOR",
          .max_words = 2,
          .completes = Completes::resource_names,
          .flags = logs_flags(),
          .examples = {{"One pod of a Deployment", "kubist logs deployment/web"},
                       {"Follow all pods of an app",
                        "kubist logs -f -l app=web --all-containers --prefix"},
                       {"Why did it restart?", "kubist logs -p web-0 --tail=50"}},
          .run = run_logs};
}

}  // namespace kubist::cli
