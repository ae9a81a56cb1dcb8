#include <kubist/apply/read.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/readiness.hpp>
#include <kubist/util/text.hpp>

#include "manifest/limits.hpp"
#include "manifest/manifest_run.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

/// Never the value found: it may be a secret.
std::string describe(const Requirement& requirement) {
  std::vector<std::string> values;
  for (const Json& value : requirement.values) {
    values.push_back(data::to_json(value));
  }
  return cat(requirement.text, " ", requirement.op, values.empty() ? "" : " ",
             util::join(values, ", "));
}

bool holds(const Requirement& requirement, const Json& object) {
  const auto result = requirement.path.find(object, data::MissingKeys::allow);
  const auto found = result ? result->values() : std::vector<const Json*>();
  const auto listed = [&](const Json* value) {
    return std::find(requirement.values.begin(), requirement.values.end(), *value) !=
           requirement.values.end();
  };
  if (requirement.op == "exists") {
    return !found.empty();
  }
  if (requirement.op == "!") {
    return found.empty();
  }
  if (requirement.op == "!=" || requirement.op == "notin") {
    return std::none_of(found.begin(), found.end(), listed);
  }
  return !found.empty() && std::all_of(found.begin(), found.end(), listed);
}

/// The default check (kstatus) of all objects, and the custom ones.
class ReadinessLook {
 public:
  ReadinessLook(World& world, const Item& item, const Job& job)
      : m_world(world), m_item(item), m_job(job) {}

  util::Result<> look_at(const std::vector<Managed>& managed) {
    std::vector<apply::Lookup> lookups;
    std::vector<resources::ObjectRef> refs;
    for (const Managed& one : managed) {
      if (one.ready) {
        continue;
      }
      refs.push_back(one.ref);
      KUBIST_TRY(auto resource, m_job.place.objects()->discovery().find_kind(
                                    one.api_version, one.ref.kind, m_world.stop));
      lookups.push_back({std::move(resource), one.ref.ns, one.ref.name});
    }
    kube::Reservation reservation(m_item.ns);
    KUBIST_TRY(const auto live,
               apply::read_objects(*m_job.place.objects(), lookups, m_world.stop, &reservation));
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      const auto state =
          live[i] ? resources::readiness(*live[i], m_world.clock->now()) : resources::not_found();
      const std::string line = cat(name_of(refs[i]), ": ", to_string(state.status),
                                   state.message.empty() ? "" : ", ", state.message);
      if (state.status == resources::Status::failed) {
        return not_ready(line);
      }
      if (state.status != resources::Status::current) {
        m_pending.add(m_job, lookups[i].resource, lookups[i].ns, lookups[i].name, line);
      }
    }
    return {};
  }

  util::Result<> look_at(const ReadinessCheck& check) {
    const std::size_t before = m_pending.lines.size();
    for (const ObjectSelector& selector : check.objects) {
      KUBIST_CHECK(selector.match_labels ? look_by_label(check, selector)
                                         : look_by_name(check, selector));
    }
    if (!check.timeout || m_pending.lines.size() == before) {
      return {};
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(m_job.started + *check.timeout -
                                                                   m_world.clock->now());
    if (left.count() <= 0) {
      return util::fail(
          util::ErrorKind::timeout,
          cat("not reached in ", check.timeout->count(), " s: ", m_pending.lines.back()), "",
          "ReadinessTimeout");
    }
    m_pending.ask_again = std::min(m_pending.ask_again.value_or(left), left);
    return {};
  }

  Pending take() { return std::move(m_pending); }

 private:
  static tl::unexpected<util::Error> not_ready(const std::string& line) {
    return util::fail(util::ErrorKind::not_ready, line, "", "NotReady");
  }

  util::Result<> look_by_name(const ReadinessCheck& check, const ObjectSelector& selector) {
    KUBIST_TRY(const auto found, find_object(m_world, m_item, m_job, selector));
    const std::string name = cat(selector.kind, " ", selector.name);
    if (!found) {
      m_pending.lines.push_back(cat("check ", check.name, ": the cluster has no kind ",
                                    selector.kind, " in ", selector.api_version));
      m_pending.ask_again = std::chrono::seconds(5);  // kinds cannot be watched
      return {};
    }
    if (!found->object) {
      m_pending.add(m_job, found->resource, found->ns, selector.name,
                    cat("check ", check.name, ": ", name, " does not exist"));
      return {};
    }
    judge(check, *found->object, found->resource, found->ns, selector.name, {});
    return {};
  }

  util::Result<> look_by_label(const ReadinessCheck& check, const ObjectSelector& selector) {
    KUBIST_TRY(const auto resource, m_job.place.objects()->discovery().find_kind(
                                        selector.api_version, selector.kind, m_world.stop));
    const std::string ns = !resource.namespaced  ? ""
                           : selector.ns.empty() ? m_job.place.ns
                                                 : selector.ns;
    KUBIST_CHECK(check_readable_namespace(m_job.place, ns));
    std::vector<std::string> terms;
    for (const auto& [key, value] : selector.match_labels->items()) {
      terms.push_back(cat(key, "=", value.get<std::string>()));
    }
    kube::ListOptions options;
    options.label_selector = util::join(terms, ",");
    options.max_page = kube::k_max_list;  // and no page is kept: objects are read one by one
    bool any = false;
    const auto each = [&](const data::ListItem& item) -> util::Result<> {
      any = true;
      KUBIST_TRY(const Json object, kube::read_item(resource, item.raw));
      KUBIST_CHECK(check_readable(m_item, m_job.place, object));
      judge(check, object, resource, ns, "", options.label_selector);
      return {};
    };
    KUBIST_CHECK(m_job.place.objects()->list_items(resource, ns, options, each, m_world.stop));
    if (!any) {
      m_pending.add(m_job, resource, ns, "",
                    cat("check ", check.name, ": no ", selector.kind, " has the labels ",
                        options.label_selector),
                    options.label_selector);
    }
    return {};
  }

  void judge(const ReadinessCheck& check, const Json& object, const kube::ApiResource& resource,
             const std::string& ns, const std::string& name, const std::string& labels) {
    for (const Requirement& requirement : check.requirements) {
      if (!holds(requirement, object)) {
        const auto& ref = resources::ObjectView(object).ref();
        m_pending.add(m_job, resource, ns, name,
                      cat("check ", check.name, ": ", name_of(ref), ": ", describe(requirement)),
                      labels);
        return;
      }
    }
  }

  World& m_world;
  const Item& m_item;
  const Job& m_job;
  Pending m_pending;
};

}  // namespace

util::Result<Pending> check_readiness(World& world, const Item& item, const Job& job,
                                      const std::vector<Managed>& managed,
                                      const ManifestPlan& plan) {
  ReadinessLook look(world, item, job);
  if (plan.default_readiness) {
    KUBIST_CHECK(look.look_at(managed));
  }
  for (const ReadinessCheck& check : plan.checks) {
    KUBIST_CHECK(look.look_at(check));
  }
  return look.take();
}

}  // namespace kubist::deployers
