#include "helm/helm_render.hpp"

#include <array>
#include <set>
#include <utility>

#include <unistd.h>

#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/runtimes/child.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

using util::cat;
namespace fs = std::filesystem;

constexpr std::chrono::minutes k_helm_time{2};  // of one helm
constexpr std::uint64_t k_helm_memory = std::uint64_t{1} << 30U;
constexpr const char* k_config = "CONFIG";
constexpr std::string_view k_hook = "helm.sh/hook";
constexpr std::size_t k_argument_bytes = std::size_t{64} << 10U;  // execve takes 128 KiB in one

/// What a program that talks to chart repositories needs of our own environment.
constexpr std::array k_passed{"HTTP_PROXY",  "HTTPS_PROXY", "NO_PROXY",      "http_proxy",
                              "https_proxy", "no_proxy",    "SSL_CERT_FILE", "SSL_CERT_DIR"};

tl::unexpected<util::Error> failed(util::Error error) {
  return util::fail(util::with_reason(std::move(error), "RenderFailed"));
}

std::vector<std::string> environment_in(const fs::path& folder) {
  // Go collects garbage in time where it knows a limit, instead of when its heap has doubled.
  std::vector<std::string> all{cat("HOME=", folder.string()),
                               cat("GOMEMLIMIT=", k_helm_memory / 4 * 3)};
  for (const char* name : {"CACHE", k_config, "DATA"}) {
    all.push_back(cat("HELM_", name, "_HOME=", (folder / name).string()));
  }
  for (const char* name : k_passed) {
    if (const std::string value = util::environment(name); !value.empty()) {
      all.push_back(cat(name, "=", value));
    }
  }
  return all;
}

/// The target's version and kinds, for charts that ask (.Capabilities).
util::Result<> add_capabilities(World& world, const Job& job, std::vector<std::string>& args) {
  KUBIST_TRY(const auto version, job.place.objects()->version(world.stop));
  KUBIST_TRY(const auto index, job.place.objects()->discovery().index(world.stop));
  args.insert(args.end(), {"--kube-version", version.git_version});
  std::set<std::string> versions;
  for (const kube::ApiResource& resource : index->all()) {
    versions.insert(resource.api_version());
    versions.insert(cat(resource.api_version(), "/", resource.kind));
  }
  std::string list;
  for (const std::string& one : versions) {
    list += cat(list.empty() ? "" : ",", one);
    if (list.size() > k_argument_bytes) {
      args.insert(args.end(), {"--api-versions", std::exchange(list, "")});
    }
  }
  if (!list.empty()) {
    args.insert(args.end(), {"--api-versions", list});
  }
  return {};
}

/// Where the chart is, as arguments for any of helm's commands.
util::Result<std::vector<std::string>> chart_arguments(const ChartSource& chart,
                                                       const fs::path& folder) {
  std::string reference = chart.reference;
  if (!chart.archive.empty()) {
    reference = (folder / "chart.tgz").string();
    KUBIST_CHECK(util::write_file(reference, chart.archive));
  } else if (chart.local) {
    reference = fs::absolute(reference).string();
  }
  if (!chart.repo.empty() && !chart.user_import.empty()) {
    reference = cat(k_login_repo, "/", reference);
  }
  std::vector<std::string> args{reference};
  if (!chart.repo.empty() && chart.user_import.empty()) {
    args.insert(args.end(), {"--repo", chart.repo});
  }
  if (!chart.version.empty()) {
    args.insert(args.end(), {"--version", chart.version});
  }
  if (chart.plain_http) {
    args.emplace_back("--plain-http");
  }
  return args;
}

runtimes::Limits limits_for(const Job& job) {
  runtimes::Limits limits;
  limits.cpu = std::chrono::seconds(120);
  limits.memory_bytes = 16ULL << 30U;  // Go reserves address space that it never uses
  limits.data_bytes = k_helm_memory;
  limits.open_files = 512;
  limits.file_bytes = 256ULL << 20U;
  limits.output_bytes = 16U << 20U;  // as objects they take thirty times that at worst
  limits.wall = k_helm_time;
  if (job.remaining) {
    limits.wall =
        std::clamp<std::chrono::milliseconds>(*job.remaining, std::chrono::seconds(1), k_helm_time);
  }
  return limits;
}

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

util::Result<fs::path> find_helm() {
  const std::string given = util::environment("KUBIST_HELM");
  const std::string wanted = given.empty() ? "helm" : given;
  const std::string path = util::environment("PATH");
  if (wanted.find('/') != std::string::npos) {
    if (is_program(wanted)) {
      return fs::absolute(wanted);
    }
  } else {
    for (const std::string& folder : util::split(path, ':')) {
      if (const fs::path found = fs::path(folder) / wanted; !folder.empty() && is_program(found)) {
        return fs::absolute(found);
      }
    }
  }
  return util::fail(
      util::ErrorKind::not_found,
      given.empty()
          ? cat("there is no program helm in PATH (", path, "), and $KUBIST_HELM is not set")
          : cat("$KUBIST_HELM is \"", given, "\", which is no program",
                wanted.find('/') == std::string::npos ? cat(" in PATH (", path, ")") : ""),
      "Items of type helm need Helm 3 or newer on the machine that runs kubist.", "HelmNotFound");
}

namespace {

/// Runs of helm in a folder and with an environment of its own.
class Helm {
 public:
  Helm(World& world, const Job& job, std::string project, fs::path program)
      : m_world(world), m_job(job), m_project(std::move(project)), m_program(std::move(program)) {}

  const fs::path& folder() const { return m_folder.path(); }

  util::Result<std::string> run(std::vector<std::string> args, const std::string& what) {
    runtimes::ChildCommand command;
    command.program = m_program;
    command.args = std::move(args);
    command.environment = environment_in(folder());
    command.folder = folder();
    command.limits = limits_for(m_job);
    command.project = m_project;
    KUBIST_TRY(auto result, runtimes::run_child(command, m_world.stop));
    if (!result.ok()) {
      return failed(runtimes::child_error(result, what, command.limits));
    }
    return std::move(result.out);
  }

 private:
  World& m_world;
  const Job& m_job;
  std::string m_project;
  fs::path m_program;
  util::TempDir m_folder{"kubist-helm"};
};

/// One of helm's commands over the config's chart; the values are there as values.json.
util::Result<std::string> run_helm(World& world, const Job& job, const HelmConfig& config,
                                   std::vector<std::string> args, const Json& values) {
  KUBIST_TRY(const fs::path program, find_helm());
  Helm helm(world, job, config.project, program);
  KUBIST_CHECK(util::write_file(helm.folder() / "values.json", data::to_json(values)));
  KUBIST_TRY(const auto chart, chart_arguments(config.chart, helm.folder()));
  KUBIST_TRY(const auto login, chart_login(config.chart, job.imports));
  const std::string of =
      cat(" of chart ", config.chart.archive.empty() ? chart.front() : "(archive)");
  if (login) {
    KUBIST_CHECK(write_login(helm.folder() / k_config, config.chart, *login));
    if (!config.chart.repo.empty()) {
      KUBIST_CHECK(helm.run({"repo", "update", std::string(k_login_repo)},
                            cat("helm repo update of ", config.chart.repo)));
    }
  }
  const std::string what = cat("helm ", args.front(), of);
  args.insert(args.end(), chart.begin(), chart.end());
  return helm.run(std::move(args), what);
}

}  // namespace

util::Result<RenderedChart> render_chart(World& world, const Job& job, const HelmConfig& config,
                                         bool upgrade) {
  KUBIST_TRY(const Json values, helm_values(config, job.imports));
  std::vector<std::string> args{"template",    "--namespace",    job.place.ns,  "--values",
                                "values.json", "--include-crds", "--skip-tests"};
  if (upgrade) {
    args.emplace_back("--is-upgrade");
  }
  KUBIST_CHECK(add_capabilities(world, job, args));
  args.push_back(config.release);
  KUBIST_TRY(const std::string text, run_helm(world, job, config, std::move(args), values));
  return read_rendered(text);
}

util::Result<Json> chart_values(World& world, const Job& job, const HelmConfig& config) {
  KUBIST_TRY(const Json given, helm_values(config, job.imports));
  KUBIST_TRY(const std::string text, run_helm(world, job, config, {"show", "values"}, given));
  auto documents = data::read_documents(text, "the chart's values.yaml");
  if (!documents) {
    return failed(documents.error());
  }
  Json values = documents->empty() ? Json::object() : std::move(documents->front().value);
  values.merge_patch(given);  // as helm: maps are merged, null takes a default away
  return values;
}

util::Result<RenderedChart> read_rendered(const std::string& text) {
  auto set = resources::read_manifest_text(text, "rendered chart");
  if (!set.errors.empty()) {
    return failed(data::combine_errors(std::move(set.errors), "the rendered chart"));
  }
  RenderedChart chart;
  for (resources::Manifest& manifest : set.manifests) {
    const resources::ObjectView view(manifest.object);
    const auto hook = view.annotation(k_hook);
    if (hook.empty()) {
      chart.objects.push_back(std::move(manifest));
    } else if (!hook.starts_with("test")) {
      chart.hooks.push_back(cat(view.kind(), " ", view.name(), " (", hook, ")"));
    }
  }
  return chart;
}

}  // namespace kubist::deployers
