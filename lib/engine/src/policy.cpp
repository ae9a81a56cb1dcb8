#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/policy.hpp>
#include <kubist/util/text.hpp>

namespace kubist::engine {

using util::cat;
using util::ErrorKind;
using DefinitionPtr = std::shared_ptr<const PolicyDefinition>;

namespace {

util::Result<> read_runtime(
    PolicyDefinition& definition, const Json& spec,
    const std::function<std::shared_ptr<PolicyRuntime>(const std::string&)>& runtime_for) {
  const Json* runtime = data::find_path(spec, {"runtime"});
  if (!runtime || !runtime->is_object() || runtime->size() != 1) {
    return util::fail(ErrorKind::invalid, cat(definition.origin, "/", definition.name,
                                              ": spec.runtime must name exactly one runtime"));
  }
  const std::string& key = runtime->begin().key();
  const Json& value = runtime->begin().value();
  definition.runtime = runtime_for(key);
  if (!definition.runtime) {
    return util::fail(
        ErrorKind::invalid,
        cat(definition.origin, "/", definition.name, ": runtime ", key, " cannot be used here"),
        definition.ns.empty() ? "Runtimes are jsonnet, exec and container."
                              : "A PolicyDefinition takes jsonnet only.");
  }
  definition.runtime_config = value;
  definition.in_pod = key == "container";
  definition.source =
      value.is_string()
          ? value.get<std::string>()
          : std::string(data::string_at(value, {"source"}, data::string_at(value, {"image"})));
  if (definition.source.empty()) {
    return util::fail(ErrorKind::invalid, cat(definition.origin, "/", definition.name,
                                              ": spec.runtime.", key, " is empty"));
  }
  return {};
}

}  // namespace

util::Result<DefinitionPtr> read_policy_definition(
    const Json& object,
    const std::function<std::shared_ptr<PolicyRuntime>(const std::string& key)>& runtime_for,
    const std::function<Query(std::string text)>& read_query) {
  auto definition = std::make_shared<PolicyDefinition>();
  definition->name = data::string_at(object, {"metadata", "name"});
  definition->ns = data::string_at(object, {"metadata", "namespace"});
  definition->origin = data::string_at(object, {"kind"});
  const Json* spec = data::find_path(object, {"spec"});
  if (!spec || !spec->is_object()) {
    return util::fail(ErrorKind::invalid,
                      cat(definition->origin, "/", definition->name, " has no spec"));
  }
  definition->summary = data::string_at(*spec, {"description"});
  definition->kinds = data::strings_at(*spec, {"kinds"});
  for (const std::string& want : data::strings_at(*spec, {"wants"})) {
    definition->wants_now = definition->wants_now || want == "now";
    definition->wants_run = definition->wants_run || want == "run";
    definition->wants_approvals = definition->wants_approvals || want == "approvals";
    definition->wants_objects = definition->wants_objects || want == "objects";
    definition->wants_status = definition->wants_status || want == "status";
  }
  if (const Json* parameters = data::find_path(*spec, {"parameters"})) {
    definition->parameters = *parameters;
  }
  for (const Json& metric : data::array_at(*spec, {"metrics"})) {
    definition->metrics.emplace(data::string_at(metric, {"name"}),
                                read_query(std::string(data::string_at(metric, {"query"}))));
  }
  if (const Json* config = data::find_path(*spec, {"functionConfig"})) {
    definition->function_config = *config;
  }
  KUBIST_CHECK(read_runtime(*definition, *spec, runtime_for));
  KUBIST_TRY(
      definition->schema,
      compile_parameters(definition->parameters, cat(definition->origin, "/", definition->name)));
  return DefinitionPtr(std::move(definition));
}

Queries metrics_of(const PolicyDefinition& definition, const Json& parameters) {
  Queries all = definition.metrics;
  if (definition.queries) {
    all.merge(definition.queries(parameters));
  }
  return all;
}

util::Result<std::shared_ptr<const data::Schema>> compile_parameters(const Json& parameters,
                                                                     const std::string& what) {
  Json schema = parameters;
  if (schema.is_object()) {
    schema.emplace("type", "object");
  }
  auto compiled = data::Schema::compile(schema);
  if (!compiled) {
    return util::fail(util::with_context(compiled.error(), cat(what, ": parameters")));
  }
  return std::make_shared<const data::Schema>(std::move(*compiled));
}

void PolicyCatalog::add_builtin(DefinitionPtr definition, const std::vector<std::string>& aliases) {
  for (const std::string& alias : aliases) {
    m_builtins[util::lower(alias)] = definition;
  }
  m_builtins[util::lower(definition->name)] = std::move(definition);
}

util::Result<> PolicyCatalog::add(DefinitionPtr definition) {
  if (m_builtins.contains(util::lower(definition->name))) {
    auto error = util::make_error(
        ErrorKind::conflict,
        cat(definition->origin, "/", definition->name, " has the name of a built-in policy"),
        "give it another name");
    add_broken(definition->ns, definition->name, error);
    return util::fail(std::move(error));
  }
  std::pair<std::string, std::string> key{definition->ns, definition->name};
  m_defined.insert_or_assign(std::move(key), Entry(std::move(definition)));
  return {};
}

void PolicyCatalog::add_broken(const std::string& ns, const std::string& name, util::Error error) {
  m_defined.insert_or_assign({ns, name}, Entry(tl::unexpect, std::move(error)));
}

util::Result<DefinitionPtr> PolicyCatalog::find(const std::string& ns,
                                                const std::string& name) const {
  if (auto found = m_builtins.find(util::lower(name)); found != m_builtins.end()) {
    return found->second;
  }
  for (const std::string& where : {ns, std::string()}) {
    // The names of objects are lower case: SomePolicy is the definition somepolicy.
    if (auto found = m_defined.find({where, util::lower(name)}); found != m_defined.end()) {
      return found->second;
    }
  }
  std::vector<std::string> names;
  for (const auto& definition : list(ns)) {
    names.push_back(definition->name);
  }
  return util::fail(ErrorKind::invalid,
                    cat("unknown ", m_noun, " \"", name, "\"", util::did_you_mean(name, names)),
                    cat(m_noun == "policy" ? "policies" : cat(m_noun, 's'),
                        " here: ", names.empty() ? "none" : util::join(names, ", ")),
                    "UnknownPolicy");
}

util::Result<DefinitionPtr> PolicyCatalog::find(const Node& node,
                                                const resources::NamedCall& call) const {
  if (call.imposed_by.empty()) {
    return find(node.key.ns, call.name);
  }
  KUBIST_TRY(auto definition, find(std::string(), call.name));
  if (definition->in_pod) {
    return util::fail(ErrorKind::invalid,
                      cat(call.imposed_by,
                          " cannot impose an image: its answers lie in the "
                          "project's namespace, where members may write them"),
                      "Impose a policy of Jsonnet, a program or a built-in one.", "NotImposable");
  }
  return definition;
}

std::vector<DefinitionPtr> PolicyCatalog::list(const std::string& ns) const {
  std::map<std::string, DefinitionPtr> by_name;
  for (const auto& [lower, definition] : m_builtins) {
    by_name.emplace(definition->name, definition);
  }
  for (const std::string& where : {ns, std::string()}) {
    auto it = m_defined.lower_bound({where, std::string()});
    for (; it != m_defined.end() && it->first.first == where; ++it) {
      if (it->second) {
        by_name.emplace(it->first.second, *it->second);
      }
    }
  }
  std::vector<DefinitionPtr> all;
  for (auto& [name, definition] : by_name) {
    all.push_back(definition);
  }
  return all;
}

util::Result<> check_kind(const PolicyDefinition& definition, std::string_view kind) {
  const auto& kinds = definition.kinds;
  if (kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) {
    return {};
  }
  return util::fail(ErrorKind::invalid,
                    cat("it is not for kind ", kind, ", only for ", util::join(kinds, ", ")));
}

std::vector<util::Error> parameter_errors(const PolicyDefinition& definition,
                                          const Json& parameters,
                                          const data::PositionLookup& lookup) {
  auto errors = definition.schema ? definition.schema->validate(parameters, lookup)
                                  : std::vector<util::Error>{};
  if (errors.empty() && definition.check) {
    if (auto checked = definition.check(parameters, lookup); !checked) {
      errors.push_back(std::move(checked).error());
    }
  }
  return errors;
}

util::Result<Json> resolve_parameters(const PolicyDefinition& definition, const Json& given,
                                      const Json& settings) {
  Json parameters = given.is_null() ? Json::object() : given;
  if (parameters.is_object() && definition.schema) {
    for (const auto& [name, schema] : definition.schema->root().properties) {
      if (auto found = settings.find(name); !parameters.contains(name) && found != settings.end()) {
        parameters[name] = *found;
      }
    }
    definition.schema->apply_defaults(parameters);
  }
  auto errors = parameter_errors(definition, parameters);
  if (errors.empty()) {
    return parameters;
  }
  auto error = data::combine_errors(std::move(errors), "parameters");
  error = util::with_context(
      std::move(error),
      cat("parameters of ", definition.is_executor() ? "executor " : "policy ", definition.name));
  error.kind = ErrorKind::invalid;
  return util::fail(util::with_reason(std::move(error), "InvalidParameters"));
}

}  // namespace kubist::engine
