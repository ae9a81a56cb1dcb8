#include <kubist/data/pointer.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {

using data::Json;
using util::cat;
using util::ErrorKind;

/// What is written, and where.
struct Writer::Place {
  const Target& target;
  const ApiResource& resource;
  std::string ns;
  std::string name;

  static std::string ns_of(const Json& object) {
    return std::string(data::string_at(object, {"metadata", "namespace"}));
  }
  /// Of an object that the server shall name, the beginning.
  static std::string name_of(const Json& object) {
    return std::string(data::string_at(object, {"metadata", "name"},
                                       data::string_at(object, {"metadata", "generateName"})));
  }
  /// An earlier write of the run would have made its namespace.
  bool lacks_namespace(const util::Result<Json>& answer) const {
    return !ns.empty() && !answer && answer.error().kind == ErrorKind::not_found;
  }
  std::string title() const {
    return cat(resource.api_version(), ' ', resource.kind, '/', ns, ns.empty() ? "" : "/", name);
  }
};

namespace {

std::string_view version_of(const Json& object) {
  return data::string_at(object, {"metadata", "resourceVersion"});
}

bool not_found(const util::Error& error) { return error.kind == ErrorKind::not_found; }

}  // namespace

util::Result<> Writer::may_write() const {
  return dry() || !m_rules.before ? util::Result<>{} : m_rules.before();
}

Writer Writer::with_before(std::function<util::Result<>()> before) const {
  Writer result = *this;
  result.m_rules.before = std::move(before);
  return result;
}

Writer Writer::with_manager(std::string_view field_manager) const {
  Writer result = *this;
  result.m_rules.field_manager = field_manager;
  return result;
}

/// Of the server. A client's dry run sends nothing, and tells what a run would send.
DryRun Writer::asked_for() const {
  return m_rules.dry_run == DryRun::server ? DryRun::server : DryRun::none;
}

/// The answer; null in a client dry run.
util::Result<Json> Writer::send(const Place& place, ApiCall call) const {
  if (m_rules.dry_run == DryRun::client) {
    return Json();
  }
  KUBIST_CHECK(may_write());
  if (!dry()) {
    call.permit = m_rules.permit;
  }
  auto answer = place.target.client.json(call);
  if (!dry() && m_rules.sent) {
    m_rules.sent(place.target.client, place.resource, place.ns);
  }
  return answer;
}

void Writer::tell(const Place& place, std::string verb, std::string detail,
                  const ApiCall& call) const {
  if (m_rules.told) {  // else the title and a copy of the call are for nobody
    tell({std::move(verb), place.title(), place.target.cluster, std::move(detail), call});
  }
}

void Writer::tell(const Write& write) const {
  if (m_rules.told) {
    const std::scoped_lock lock(*m_telling);
    m_rules.told(write);
  }
}

util::Result<Json> Writer::apply(const Target& target, const ApiResource& resource,
                                 const Json& object, const ApplyOf& how) const {
  const Place place{target, resource, Place::ns_of(object), Place::name_of(object)};
  ApplyOptions options;
  options.field_manager = m_rules.field_manager;
  options.dry_run = asked_for();
  options.force = how.force;
  options.only_new = how.only_new;
  const ApiCall call = kube::apply(resource, object, options);
  auto after = send(place, call);
  const bool nowhere = dry() && how.live == nullptr && place.lacks_namespace(after);
  if (!after && !nowhere) {
    return after;
  }
  if (dry() || how.live == nullptr || version_of(*how.live) != version_of(*after)) {
    tell(place, how.live == nullptr ? "create" : "apply", how.detail, call);
  }
  return nowhere || after->is_null() ? util::Result<Json>(object) : after;
}

util::Result<Json> Writer::create(const Target& target, const ApiResource& resource,
                                  const Json& object) const {
  Place place{target, resource, Place::ns_of(object), Place::name_of(object)};
  const ApiCall call = kube::create(
      resource, object, {.field_manager = m_rules.field_manager, .dry_run = asked_for()});
  auto made = send(place, call);
  const bool nowhere = dry() && place.lacks_namespace(made);
  if (!made && !nowhere) {
    return made;
  }
  if (!dry()) {
    place.name = Place::name_of(*made);
  }
  tell(place, "create", "", call);
  return nowhere || made->is_null() ? util::Result<Json>(object) : made;
}

util::Result<Json> Writer::patch(const Target& target, const ApiResource& resource,
                                 std::string_view ns, std::string_view name, PatchType type,
                                 const Json& body, const PatchOf& how) const {
  const Place place{target, resource, std::string(ns), std::string(name)};
  const ApiCall call = kube::patch(resource, ns, name, type, body,
                                   {.field_manager = m_rules.field_manager,
                                    .dry_run = asked_for(),
                                    .subresource = how.subresource});
  auto after = send(place, call);
  const bool nothing_yet = dry() && !after && not_found(after.error());
  if (!after && !nothing_yet) {
    return after;
  }
  tell(place, how.subresource.empty() ? "patch" : cat("patch ", how.subresource), how.detail, call);
  return nothing_yet ? util::Result<Json>(Json()) : after;
}

util::Result<bool> Writer::remove(const Target& target, const ApiResource& resource,
                                  std::string_view ns, std::string_view name,
                                  std::string_view uid) const {
  const Place place{target, resource, std::string(ns), std::string(name)};
  DeleteOptions options;
  options.uid = uid;
  options.dry_run = asked_for();
  const ApiCall call = kube::remove(resource, ns, name, options);
  const auto answer = send(place, call);
  if (!answer && not_found(answer.error())) {
    return false;
  }
  KUBIST_CHECK(answer);
  tell(place, "delete", "", call);
  return true;
}

}  // namespace kubist::kube
