#include <kubist/apply/set.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/setup/register.hpp>
#include <kubist/util/text.hpp>

#include "target_token.hpp"

namespace kubist::setup {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

/// One `cluster rotate`.
class TokenRotation {
 public:
  TokenRotation(kube::Client& home, const RotateOptions& options, const std::stop_token& stop)
      : m_home(home), m_options(options), m_stop(stop), m_target(options.target) {}

  util::Result<> run() {
    KUBIST_CHECK(look());
    if (m_options.dry_run != kube::DryRun::none) {
      say(cat("Secret ", place(m_next), " would be made, and those before it deleted"));
      return {};
    }
    if (const auto made = make_token(); !made) {
      return util::fail(still("nothing has changed for the Cluster", made.error()));
    }
    if (const auto written = write_home(); !written) {
      return util::fail(still("home has the old or the new token, and both work", written.error()));
    }
    return delete_others();
  }

 private:
  util::Result<> look() {
    KUBIST_TRY(m_cluster, cluster_name(m_home, m_options.ns, m_options.name, m_stop));
    KUBIST_TRY(auto known, find_registered(m_home, m_options.ns, m_options.name, m_stop));
    if (!known) {
      return util::fail(ErrorKind::not_found,
                        cat("there is no Secret ", m_options.ns, '/',
                            kubeconfig_secret_name(m_options.name), " on ", m_home.server()),
                        "'kubist cluster add' makes it. kubist rotates only tokens that it made.");
    }
    m_known = *std::move(known);
    m_next = next_token_secret(m_known.token_secret);
    // Nobody's credentials but the Secret's own go where the Secret says.
    m_access = m_target ? m_options.access : m_known.access;
    KUBIST_CHECK(target_kubeconfig(m_access, util::Secret("t")));
    if (!m_target) {
      KUBIST_TRY(m_target, m_options.connect(m_known.access));
    }
    KUBIST_TRY(const auto cluster, m_home.find(clusters(), m_options.ns, m_options.name, m_stop));
    KUBIST_CHECK(check_same_cluster(cluster ? &*cluster : nullptr, *m_target, m_stop));
    return check_account(*m_target, m_known.account, m_cluster, m_stop);
  }

  util::Result<> make_token() {
    std::vector<resources::Manifest> set(1);
    set[0].object = token_secret_object(m_known.account, m_cluster, m_next);
    apply::Options options;
    options.manager = k_register_manager;
    options.timeout = m_options.timeout;
    const Json wanted = set[0].object;
    options.admit = [&](std::size_t, const Json* live) { return admit_registered(wanted, live); };
    const apply::Report report = apply::apply_set(*m_target, set, options, m_stop);
    if (const auto error = report.error()) {
      return util::fail(
          report.results.empty() || !report.results[0].error ? *error : *report.results[0].error);
    }
    KUBIST_TRY(const util::Secret token,
               wait_for_token(*m_target, m_known.account, m_next, m_options.timeout, m_stop));
    KUBIST_TRY(m_kubeconfig, target_kubeconfig(m_access, token));
    KUBIST_TRY(m_with_new,
               try_kubeconfig(m_kubeconfig, m_known.account, m_options.connect, m_stop));
    say(cat("made and tried the token of Secret ", place(m_next)));
    return {};
  }

  /// Over the Secret as it was read: another rotation at the same time is a conflict.
  util::Result<> write_home() {
    Json secret = kubeconfig_secret(m_cluster, m_known.account, m_next, m_kubeconfig);
    secret["metadata"]["resourceVersion"] =
        resources::ObjectView(m_known.secret).resource_version();
    const kube::Writer writer({.field_manager = k_register_manager});
    KUBIST_CHECK(writer.apply({m_home}, kube::well_known::secrets(), secret,
                              {.live = &m_known.secret, .force = true}));
    const bool moved = m_access.server != m_known.access.server;
    say(cat("wrote Secret ", m_options.ns, '/', kubeconfig_secret_name(m_options.name),
            moved ? cat(", whose server was ", m_known.access.server) : std::string()));
    return {};
  }

  /// With the new token, where no other credentials were given: its end would be the client's.
  util::Result<> delete_others() {
    kube::Client& client = m_options.target ? *m_target : *m_with_new;
    kube::ListOptions options;
    options.label_selector = cat(resources::k_managed_by_label, "=kubist");
    auto listed = client.list(kube::well_known::secrets(), m_known.account.ns, options, m_stop);
    if (!listed) {
      return util::fail(
          still("the new token is in use, and the old one works, too", listed.error()));
    }
    const std::string owner(
        resources::ObjectView(token_secret_object(m_known.account, m_cluster, m_next))
            .annotation(k_registered_by));
    const kube::Writer writer({.field_manager = k_register_manager});
    for (const Json& secret : listed->items) {
      const resources::ObjectView view(secret);
      if (view.annotation(k_registered_by) != owner || view.name() == m_next) {
        continue;
      }
      const auto removed = writer.remove({client}, kube::well_known::secrets(), m_known.account.ns,
                                         view.name(), view.uid());
      if (!removed) {
        return util::fail(
            still(cat("the new token is in use, and that of ", view.name(), " works, too"),
                  removed.error()));
      }
      say(cat("deleted Secret ", place(std::string(view.name()))));
    }
    return {};
  }

  util::Error still(std::string_view state, const util::Error& error) const {
    util::Error told = util::with_context(error, state);
    if (error.kind == ErrorKind::forbidden && !m_options.target) {
      told.hint =
          cat("Its own account may not: --context names a context with rights on Secrets of "
              "namespace ",
              m_known.account.ns, " there.");
    } else if (told.hint.empty()) {
      told.hint = "Run it again: it goes on from there.";
    }
    return told;
  }

  std::string place(const std::string& secret) const {
    return cat(m_known.account.ns, '/', secret, " on ", m_target->server());
  }
  void say(const std::string& line) const {
    if (m_options.step) {
      m_options.step(line);
    }
  }

  kube::Client& m_home;
  const RotateOptions& m_options;
  const std::stop_token& m_stop;
  std::shared_ptr<kube::Client> m_target;
  std::shared_ptr<kube::Client> m_with_new;
  ClusterName m_cluster;
  Registered m_known;
  kube::ClusterAccess m_access;  ///< the way of the new kubeconfig
  std::string m_next;
  std::string m_kubeconfig;
};

}  // namespace

util::Result<> rotate_token(kube::Client& home, const RotateOptions& options,
                            const std::stop_token& stop) {
  return TokenRotation(home, options, stop).run();
}

}  // namespace kubist::setup
