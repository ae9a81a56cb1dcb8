#include <algorithm>
#include <array>

#include <kubist/istio/check.hpp>
#include <kubist/istio/stages.hpp>
#include <kubist/istio/uninstall.hpp>
#include <kubist/util/text.hpp>

#include "evidence/recorded.hpp"
#include "judge/model.hpp"
#include "uninstall/uninstall_steps.hpp"

namespace kubist::istio {

using util::cat;

namespace {

constexpr std::array k_removal_order{Stage::gateways, Stage::ztunnel, Stage::nodes,
                                     Stage::control_plane, Stage::base};

class Uninstaller {
 public:
  Uninstaller(kube::Client& client, const UninstallOptions& options, const std::stop_token& stop)
      : m_client(client), m_options(options), m_stop(stop) {}

  util::Result<UninstallOutcome> run() {
    KUBIST_TRY(m_records, read_records(m_client, m_stop));
    KUBIST_TRY(m_record, find_record(m_records, m_options.ns, m_options.revision));
    KUBIST_TRY(m_evidence, gather(m_client, {}, m_stop));
    if (m_record == nullptr) {
      KUBIST_CHECK(nothing_recorded());
      return std::move(m_outcome);
    }
    KUBIST_TRY(m_recorded, read_recorded(m_client, m_record->inventory.entries, m_stop));
    KUBIST_TRY(m_webhooks, leading_webhooks(m_client, m_evidence, m_recorded, *m_record, m_stop));
    sort_out();
    if (m_going.empty() && m_webhooks.empty()) {
      KUBIST_CHECK(close_record());
      return std::move(m_outcome);
    }
    KUBIST_TRY(m_outcome.obstacles, obstacles());
    if (!m_outcome.obstacles.empty()) {
      return std::move(m_outcome);
    }
    KUBIST_CHECK(remove_all());
    return std::move(m_outcome);
  }

 private:
  util::Result<> nothing_recorded() {
    for (const ControlPlane& plane : items_of(m_evidence.control_planes)) {
      if (plane.revision == m_options.revision &&
          (m_options.ns.empty() || plane.ns == m_options.ns)) {
        return util::fail(
            util::ErrorKind::not_found,
            cat("istiod ", plane.ns, '/', plane.name, " was installed by ",
                plane.installer.empty() ? "somebody else" : plane.installer,
                ": there is no record of what kubist applied"),
            "Uninstall it with what installed it, or take it over first: kubist istio install "
            "PATH --adopt");
      }
    }
    m_outcome.notes.push_back(
        cat("nothing of revision ", m_options.revision, " is recorded here: nothing to do"));
    return {};
  }

  // What goes and what stays, but for webhooks.
  void sort_out() {
    std::size_t crds = 0;
    for (apply::Owned& each : m_recorded) {
      const apply::Recorded& record = each.recorded;
      if (is_namespace(record.ref)) {
        m_outcome.notes.push_back(
            cat("namespace ", record.ref.name, " stays, with what istiod made there at run time"));
        m_staying[record.ref] = {record.api_version, record.uid};
        continue;
      }
      if (stage_of(each.live) == Stage::webhooks) {
        continue;
      }
      if (is_crd(record.ref) && !m_options.purge) {
        // Those that another revision has too go with that one.
        if (also_recorded_by(m_records, *m_record, record.ref).empty()) {
          m_staying[record.ref] = {record.api_version, record.uid};
        }
        ++crds;
        continue;
      }
      if (std::string reason = reason_to_keep(each, *m_record, m_records); !reason.empty()) {
        m_kept.push_back(kept(each, std::move(reason)));
      } else {
        m_going.push_back(std::move(each));
      }
    }
    if (crds > 0) {
      m_outcome.notes.push_back(cat(
          crds, " CustomResourceDefinitions stay, with all configuration; --purge deletes them"));
    }
  }

  util::Result<std::vector<Obstacle>> obstacles() {
    std::vector<Obstacle> found =
        uses_of(m_evidence, *m_record, m_going, m_webhooks, m_options.force);
    if (m_options.purge) {
      for (const Record& other : m_records) {
        if (&other != m_record) {
          found.push_back(
              {cat("other-revision:", other.revision),
               cat("revision ", other.revision, " in ", other.ns,
                   " needs the CustomResourceDefinitions"),
               cat("uninstall it first: kubist istio uninstall --revision ", other.revision)});
        }
      }
    }
    KUBIST_TRY(auto refused, refused_rights(m_client, questions(), m_stop));
    found.insert(found.end(), refused.begin(), refused.end());
    return found;
  }

  std::vector<kube::AccessQuestion> questions() const {
    std::vector<kube::AccessQuestion> all{
        {.verb = "create", .group = "", .resource = "pods", .ns = m_record->ns}};
    const auto add = [&](const kube::ApiResource& resource, const std::string& ns) {
      kube::AccessQuestion question;
      question.verb = "delete";
      question.group = resource.group;
      question.resource = resource.plural;
      question.ns = ns;
      const bool asked = std::any_of(all.begin(), all.end(), [&](const auto& each) {
        return each.verb == question.verb && each.group == question.group &&
               each.resource == question.resource && each.ns == question.ns;
      });
      if (!asked) {
        all.push_back(std::move(question));
      }
    };
    for (const apply::Owned& each : m_going) {
      add(each.resource, each.recorded.ref.ns);
    }
    for (const LeadingWebhook& each : m_webhooks) {
      add(each.target.resource, "");
    }
    return all;
  }

  util::Result<> remove_all() {
    if (!m_webhooks.empty()) {
      step("webhooks");
    }
    // One after the other, so that who sees the last one gone sees all of them gone.
    for (const LeadingWebhook& each : m_webhooks) {
      KUBIST_CHECK(remove({each.target}, kube::Propagation::background));
    }
    if (m_options.dry_run == kube::DryRun::none && istiod_is_there()) {
      step("proof that no webhook is called any more");
      KUBIST_CHECK(prove_webhooks_gone(m_client, m_evidence, *m_record, m_options, m_stop));
    }
    for (const Stage stage : k_removal_order) {
      std::vector<apply::Target> targets;
      for (const apply::Owned& each : m_going) {
        if (stage_of(each.live) == stage) {
          targets.push_back(apply::target_of(each));
        }
      }
      if (!targets.empty()) {
        step(to_string(stage));
        // Pods need their rights and configuration until their end.
        KUBIST_CHECK(remove(targets, stage == Stage::base ? kube::Propagation::background
                                                          : kube::Propagation::foreground));
      }
    }
    for (apply::ObjectResult& each : m_kept) {
      report(each);
      m_outcome.removed.results.push_back(std::move(each));
    }
    return close_record();
  }

  bool istiod_is_there() const {
    const auto& planes = items_of(m_evidence.control_planes);
    return std::any_of(planes.begin(), planes.end(), [&](const ControlPlane& plane) {
      return plane.revision == m_record->revision && plane.ns == m_record->ns;
    });
  }

  util::Result<> remove(const std::vector<apply::Target>& targets, kube::Propagation propagation) {
    apply::RemoveOptions options;
    options.propagation = propagation;
    options.ignore_not_found = true;
    options.dry_run = m_options.dry_run;
    options.timeout = m_options.timeout;
    options.on_result = m_options.on_result;
    options.on_progress = m_options.on_progress;
    apply::Report report = apply::remove_set(m_client, targets, options, m_stop);
    auto error = report.error();
    m_outcome.removed.append(std::move(report));
    return error ? util::Result<>(util::fail(std::move(*error))) : util::Result<>();
  }

  // The list of what stays, for a later --purge; none where only the namespace is left.
  util::Result<> close_record() {
    if (m_options.dry_run != kube::DryRun::none) {
      return {};
    }
    const bool worth = std::any_of(m_staying.begin(), m_staying.end(),
                                   [](const auto& each) { return is_crd(each.first); });
    apply::Inventory inventory = m_record->inventory;
    if (worth) {
      return apply::write_inventory(kube::Writer(), {m_client}, inventory, m_staying);
    }
    return remove({{kube::well_known::config_maps(),
                    inventory.name.ns,
                    inventory.name.name,
                    inventory.uid,
                    {}}},
                  kube::Propagation::background);
  }

  void step(std::string_view text) const {
    if (m_options.on_step) {
      m_options.on_step(text);
    }
  }
  void report(const apply::ObjectResult& result) const {
    if (m_options.on_result) {
      m_options.on_result(result);
    }
  }

  kube::Client& m_client;
  const UninstallOptions& m_options;
  const std::stop_token& m_stop;
  std::vector<Record> m_records;
  const Record* m_record = nullptr;
  Evidence m_evidence;
  std::vector<apply::Owned> m_recorded;
  std::vector<LeadingWebhook> m_webhooks;
  std::vector<apply::Owned> m_going;
  std::vector<apply::ObjectResult> m_kept;
  apply::InventoryEntries m_staying;
  UninstallOutcome m_outcome;
};

}  // namespace

util::Result<UninstallOutcome> uninstall(kube::Client& client, const UninstallOptions& options,
                                         const std::stop_token& stop) {
  return Uninstaller(client, options, stop).run();
}

}  // namespace kubist::istio
