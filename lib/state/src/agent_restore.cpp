#include <algorithm>
#include <filesystem>
#include <map>

#include <sys/stat.h>

#include <kubist/data/pointer.hpp>
#include <kubist/state/agent.hpp>
#include <kubist/state/archive.hpp>
#include <kubist/state/pieces.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::state {
namespace {

namespace fs = std::filesystem;
using util::ErrorKind;
using Files = std::map<std::string, std::string>;

/// The files of a mounted Secret; the kubelet's own (..data, ..2026_11_21) begin with two dots.
util::Result<Files> read_files(const fs::path& folder) {
  Files files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with("..")) {
      KUBIST_TRY(files[name], util::read_file(entry->path(), std::size_t{2} << 20U));
    }
  }
  if (error) {
    return util::fail(ErrorKind::invalid,
                      util::cat("cannot list the folder ", folder.string(), ": ", error.message()));
  }
  return files;
}

std::string hash_of(const Files& files) {
  util::Sha256 hash;
  for (const auto& [name, text] : files) {
    hash.update(util::cat(name, "\n", text.size(), "\n"));
    hash.update(text);
  }
  return hash.finish_hex();
}

struct Inputs {
  Files given;
  Head head;
};

Source kept_state(const RestoreOptions& options, const Head& head) {
  return verified_source(head, options.state_secret, mounted_pieces(options.kept));
}

/// The mounts may show what the node knew before this job's Secrets were written, until the
/// kubelet's next look at them.
util::Result<Inputs> read_inputs(const RestoreOptions& options, const std::stop_token& stop) {
  const auto deadline = util::system_clock().monotonic() + options.patience;
  while (true) {
    const bool last = util::system_clock().monotonic() >= deadline;
    Inputs inputs;
    KUBIST_TRY(inputs.given, read_files(options.given));
    if (!options.state_secret.empty()) {
      KUBIST_TRY(inputs.head, mounted_head(options.kept));
    }
    const bool given_new =
        options.given_sha256.empty() || hash_of(inputs.given) == options.given_sha256;
    const bool head_new = inputs.head.generation >= options.state_generation;
    if (given_new && head_new) {
      const auto sound = drain(kept_state(options, inputs.head));
      if (sound) {
        return inputs;
      }
      if (last || sound.error().kind != ErrorKind::unavailable) {
        return util::fail(sound.error());
      }
    } else if (last) {
      return util::fail(
          ErrorKind::timeout,
          util::cat("the mounted ", given_new ? "state" : "inputs",
                    " stayed older than this job for ", options.patience.count() / 1000, " s"));
    }
    if (!util::sleep_for(std::chrono::milliseconds(500), stop)) {
      return util::fail(ErrorKind::cancelled, "stopped while waiting for the mounted inputs");
    }
  }
}

util::Result<> make_open_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  // The workload's user need not be ours; mkdir's own mode would be cut by the umask.
  if (error || ::chmod(path.c_str(), 0777) != 0) {
    return util::fail(ErrorKind::forbidden,
                      util::cat("cannot make the folder ", path.string(), " for the workload"));
  }
  return {};
}

util::Result<> write_if(const Files& files, std::string_view key, const fs::path& path,
                        unsigned mode) {
  const auto found = files.find(std::string(key));
  if (found == files.end()) {
    return {};
  }
  KUBIST_CHECK(util::write_file(path, found->second, mode));
  // The mode of a new file is cut by the umask.
  return ::chmod(path.c_str(), mode) == 0
             ? util::Result<>{}
             : util::fail(ErrorKind::forbidden,
                          util::cat("cannot set the mode of ", path.string()));
}

}  // namespace

std::string given_hash(const data::Json& secret_data) {
  Files files;
  for (const auto& [key, value] : secret_data.items()) {
    files[key] = util::base64_decode(value.get_ref<const std::string&>()).value_or("");
  }
  return hash_of(files);
}

util::Result<> restore(const RestoreOptions& options, std::stop_token stop) {
  KUBIST_TRY(const Inputs inputs, read_inputs(options, stop));
  KUBIST_CHECK(write_if(inputs.given, k_imports_key, options.in / k_imports_file, 0444));
  KUBIST_CHECK(write_if(inputs.given, k_target_key, options.in / k_target_file, 0444));
  KUBIST_CHECK(write_if(inputs.given, k_script_key, options.in / k_script_file, 0555));
  if (!options.tini.empty()) {
    KUBIST_TRY(const std::string tini, util::read_file(options.tini, std::size_t{8} << 20U));
    KUBIST_CHECK(write_if({{"tini", tini}}, "tini", options.in / k_tini_file, 0555));
  }
  KUBIST_CHECK(make_open_folder(options.in / k_content_dir));
  std::error_code ignored;
  if (options.state_secret.empty()) {
    // A volume: where it is not ours to open to others, its fsGroup says who may write.
    fs::permissions(options.out / k_state_dir, fs::perms::all, ignored);
    return {};
  }
  // A restarted init container finds what its first try left.
  fs::remove_all(options.out / k_state_dir, ignored);
  KUBIST_CHECK(make_open_folder(options.out / k_state_dir));
  return unpack(kept_state(options, inputs.head), options.out / k_state_dir);
}

}  // namespace kubist::state
