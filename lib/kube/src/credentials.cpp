#include <mutex>

#include <kubist/kube/credentials.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "exec_credentials.hpp"

namespace kubist::kube {
namespace {

constexpr std::chrono::seconds k_token_file_age{50};  // client-go: every minute with 10 s leeway
constexpr std::chrono::seconds k_expiry_leeway{60};
constexpr std::chrono::hours k_kept_age{24};  // of a plugin's answer on disk

}  // namespace

http::Headers impersonation_headers(const Impersonation& as) {
  http::Headers headers;
  if (!as.user.empty()) {
    headers.push_back({"Impersonate-User", as.user});
  }
  if (!as.uid.empty()) {
    headers.push_back({"Impersonate-Uid", as.uid});
  }
  for (const std::string& group : as.groups) {
    headers.push_back({"Impersonate-Group", group});
  }
  for (const auto& [key, values] : as.extra) {
    for (const std::string& value : values) {
      headers.push_back({"Impersonate-Extra-" + util::percent_encode(key), value});
    }
  }
  return headers;
}

namespace {

/// A token in a file that somebody else renews.
class TokenFile {
 public:
  TokenFile(std::filesystem::path path, util::Secret start)
      : m_path(std::move(path)), m_token(std::move(start)) {}

  util::Result<util::Secret> get(std::chrono::steady_clock::time_point now) {
    if (m_read_at && now - *m_read_at < k_token_file_age) {
      return m_token;
    }
    auto text = util::read_file(m_path);
    const std::string_view token = text ? util::trim(*text) : std::string_view();
    if (!token.empty() && http::is_header_value(token)) {
      m_token = util::Secret(std::string(token));
      m_read_at = now;
    } else if (m_token.empty()) {
      if (!text) {
        return util::fail(util::with_context(std::move(text).error(), "tokenFile"));
      }
      return util::fail(
          util::ErrorKind::forbidden,
          util::cat("tokenFile ", m_path.string(),
                    token.empty() ? " is empty" : " has a character that no HTTP header may have"));
    }
    return m_token;  // what cannot be read keeps the old one in use
  }
  void expire() { m_read_at.reset(); }

 private:
  std::filesystem::path m_path;
  util::Secret m_token;
  std::optional<std::chrono::steady_clock::time_point> m_read_at;
};

/// A plugin with its last answer, in memory and on disk.
class ExecPlugin {
 public:
  ExecPlugin(ExecConfig config, CredentialOptions options)
      : m_config(std::move(config)), m_options(std::move(options)) {
    if (!m_options.cache_folder.empty()) {
      m_file = m_options.cache_folder / "exec" / (exec_cache_key(m_config) + ".json");
    }
  }

  util::Result<ExecAnswer> get(std::chrono::system_clock::time_point now, std::stop_token stop) {
    if (m_answer && is_fresh(*m_answer, now)) {
      return *m_answer;
    }
    if (auto kept = load(now)) {
      m_answer = std::move(*kept);
      return *m_answer;
    }
    KUBIST_TRY(std::string text, run_exec_plugin(m_config, m_options.may_prompt, std::move(stop)));
    KUBIST_TRY(ExecAnswer answer, parse_exec_answer(m_config, text));
    if (!m_file.empty() && answer.expires && is_fresh(answer, now) &&
        answer.client_key_pem.empty()) {
      remove_old();
      // A cache that cannot be written costs another run of the plugin, no more.
      static_cast<void>(util::write_file(m_file, text, 0600));
    }
    m_answer = std::move(answer);
    return *m_answer;
  }

  void drop() {
    m_answer.reset();
    if (!m_file.empty()) {
      std::error_code ignored;
      std::filesystem::remove(m_file, ignored);
    }
  }

 private:
  static bool is_fresh(const ExecAnswer& answer, std::chrono::system_clock::time_point now) {
    return !answer.expires || now + k_expiry_leeway < *answer.expires;
  }

  std::optional<ExecAnswer> load(std::chrono::system_clock::time_point now) const {
    if (m_file.empty()) {
      return {};
    }
    const auto text = util::read_private_file(m_file);
    if (!text) {
      return {};
    }
    auto answer = parse_exec_answer(m_config, *text);
    if (!answer || !answer->expires || !is_fresh(*answer, now)) {
      return {};
    }
    return std::move(*answer);
  }

  // Of environments that are not asked for any more.
  void remove_old() const {
    namespace fs = std::filesystem;
    std::error_code error;
    const auto now = fs::file_time_type::clock::now();
    fs::directory_iterator entry(m_file.parent_path(), error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      std::error_code ignored;
      if (const auto written = entry->last_write_time(ignored);
          !ignored && now - written > k_kept_age) {
        fs::remove(entry->path(), ignored);
      }
    }
  }

  ExecConfig m_config;
  CredentialOptions m_options;
  std::filesystem::path m_file;
  std::optional<ExecAnswer> m_answer;
};

class StandardCredentials : public CredentialSource {
 public:
  StandardCredentials(AuthInfo auth, CredentialOptions options, const util::Clock& clock)
      : m_auth(std::move(auth)),
        m_clock(clock),
        m_headers(impersonation_headers(m_auth.impersonation)) {
    if (!m_auth.token_file.empty()) {
      m_token_file.emplace(m_auth.token_file, m_auth.token);
    }
    const bool given = m_token_file || !m_auth.token.empty() || !m_auth.username.empty() ||
                       !m_auth.client_cert_pem.empty();
    if (m_auth.exec && !given) {
      m_plugin.emplace(*m_auth.exec, std::move(options));
    }
  }

  util::Result<Credentials> get(std::stop_token stop) override {
    const std::lock_guard lock(m_mutex);
    Credentials credentials;
    credentials.headers = m_headers;
    credentials.client_cert_pem = m_auth.client_cert_pem;
    credentials.client_key_pem = m_auth.client_key_pem;
    util::Secret token = m_auth.token;
    if (m_token_file) {
      KUBIST_TRY(token, m_token_file->get(m_clock.monotonic()));
    }
    if (m_plugin) {
      KUBIST_TRY(ExecAnswer answer, m_plugin->get(m_clock.now(), std::move(stop)));
      token = std::move(answer.token);
      credentials.client_cert_pem = std::move(answer.client_cert_pem);
      credentials.client_key_pem = std::move(answer.client_key_pem);
    }
    if (!token.empty()) {
      credentials.authorization = util::Secret("Bearer " + token.reveal());
    } else if (!m_auth.username.empty()) {
      credentials.authorization = util::Secret(
          "Basic " + util::base64_encode(m_auth.username + ':' + m_auth.password.reveal()));
    }
    m_last = credentials;
    return credentials;
  }

  bool renew(const Credentials& refused) override {
    const std::lock_guard lock(m_mutex);
    if (!m_token_file && !m_plugin) {
      return false;
    }
    // Of many calls that were refused at once, the first one drops; the others take what it got.
    const bool current = m_last && m_last->authorization == refused.authorization &&
                         m_last->client_cert_pem == refused.client_cert_pem;
    if (current && m_token_file) {
      m_token_file->expire();
    }
    if (current && m_plugin) {
      m_plugin->drop();
    }
    return true;
  }

 private:
  const AuthInfo m_auth;
  const util::Clock& m_clock;
  const http::Headers m_headers;
  std::mutex m_mutex;  // one run of the plugin at a time
  std::optional<TokenFile> m_token_file;
  std::optional<ExecPlugin> m_plugin;
  std::optional<Credentials> m_last;
};

}  // namespace

std::unique_ptr<CredentialSource> make_credentials(AuthInfo auth, CredentialOptions options,
                                                   const util::Clock& clock) {
  return std::make_unique<StandardCredentials>(std::move(auth), std::move(options), clock);
}

}  // namespace kubist::kube
