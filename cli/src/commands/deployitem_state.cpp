#include <filesystem>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/deployers/item_state.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "session.hpp"

namespace kubist::cli {
namespace {

namespace fs = std::filesystem;
using util::cat;

constexpr std::string_view k_group = "Day to day";

deployers::World state_world(Context& context, const Arguments& arguments,
                             executors::Session& session) {
  return session.state_world(
      arguments.boolean("own-rights"),
      [&context](const std::string& line) { context.log().warn(line); }, context.stop());
}

/// "drwxr-xr-x"
std::string mode_text(const state::ArchiveEntry& entry) {
  std::string text(1, entry.type == 'h' ? '-' : entry.type);
  constexpr std::string_view k_letters = "rwxrwxrwx";
  for (unsigned i = 0; i < k_letters.size(); ++i) {
    text += ((entry.mode >> (8 - i)) & 1U) != 0 ? k_letters[i] : '-';
  }
  return text;
}

std::string line_of(const state::ArchiveEntry& entry) {
  const std::string_view arrow = entry.type == 'l' ? " -> " : entry.type == 'h' ? " link to " : "";
  const std::string size = cat(entry.size);
  constexpr std::size_t k_width = 12;
  return cat(mode_text(entry), std::string(size.size() < k_width ? k_width - size.size() : 1, ' '),
             size, ' ', util::printable(entry.path), arrow, util::printable(entry.target), "\n");
}

util::Result<int> run_ls(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto session, open_session(context));
  KUBIST_TRY(const std::string ns, context.ns());
  deployers::World world = state_world(context, arguments, *session);
  KUBIST_TRY(const auto open, deployers::open_item_state(world, ns, arguments.words()[0]));
  KUBIST_TRY(const auto entries, state::list(open.stored.packed));
  const state::Head& head = open.stored.head;
  data::Json document{{"generation", head.generation},
                      {"packedBytes", head.size},
                      {"entries", data::Json::array()}};
  std::string lines;
  for (const state::ArchiveEntry& entry : entries) {
    lines += line_of(entry);
    document["entries"].push_back(
        {{"mode", mode_text(entry)}, {"size", entry.size}, {"path", util::printable(entry.path)}});
    if (!entry.target.empty()) {
      document["entries"].back()["target"] = util::printable(entry.target);
    }
  }
  KUBIST_TRY(const bool printed, print_document(context, document));
  if (printed) {
    return k_ok;
  }
  context.out().write(lines);
  context.log().line(cat("generation ", head.generation, ", ", head.size, " bytes packed"));
  return k_ok;
}

util::Result<int> run_state_get(Context& context, const Arguments& arguments) {
  const std::string& name = arguments.words()[0];
  const std::string file = arguments.words().size() > 1 ? arguments.words()[1] : name + ".tar.gz";
  if (file == "-" && context.out_is_terminal()) {
    return util::fail(util::ErrorKind::usage, "the state is a gzipped tar, no text for a terminal",
                      "Name a FILE, or pipe it: kubist deployitem state get NAME - | tar tzv");
  }
  KUBIST_TRY(const auto session, open_session(context));
  KUBIST_TRY(const std::string ns, context.ns());
  deployers::World world = state_world(context, arguments, *session);
  KUBIST_TRY(const auto open, deployers::open_item_state(world, ns, name));
  if (open.stored.head.size == 0) {
    return util::fail(util::ErrorKind::not_found,
                      cat("the state of DeployItem ", ns, "/", name, " is empty"));
  }
  std::string packed;  // all of it before the first byte is given: the end may not be sound
  while (true) {
    KUBIST_TRY(const std::string piece, open.stored.packed());
    if (piece.empty()) {
      break;
    }
    packed += piece;
  }
  if (file == "-") {
    context.out().write(packed);
    return k_ok;
  }
  KUBIST_CHECK(util::write_file(file, packed));
  context.log().line(cat("wrote ", file, " (generation ", open.stored.head.generation, ", ",
                         packed.size(), " bytes)"));
  return k_ok;
}

/// A folder of our own, whose content may have taken away our right to remove it.
class Unpacked {
 public:
  ~Unpacked() {
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(m_folder.path(), ignored), end; at != end;
         at.increment(ignored)) {
      if (at->is_directory(ignored) && !at->is_symlink(ignored)) {
        fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
      }
    }
  }
  const fs::path& path() const { return m_folder.path(); }

 private:
  util::TempDir m_folder;
};

util::Result<int> put(Context& context, const Arguments& arguments, const fs::path& folder,
                      std::string_view verb) {
  const std::string& name = arguments.words()[0];
  KUBIST_TRY(const auto session, open_session(context));
  KUBIST_TRY(const std::string ns, context.ns());
  deployers::World world = state_world(context, arguments, *session);
  KUBIST_TRY(const auto head, deployers::put_item_state(world, ns, name, folder));
  context.out().write(cat("state of deployitem.landscaper.gardener.cloud/", name, " ", verb,
                          " (generation ", head.generation, ", ", head.size, " bytes)\n"));
  return k_ok;
}

util::Result<int> run_put(Context& context, const Arguments& arguments) {
  const fs::path given = arguments.words()[1];
  std::error_code error;
  if (fs::is_directory(given, error)) {
    return put(context, arguments, given, "replaced");
  }
  KUBIST_TRY(const std::string packed, util::read_file(given, state::k_max_state));
  const Unpacked folder;
  if (auto unpacked = state::unpack(packed, folder.path()); !unpacked) {
    return util::fail(util::with_context(unpacked.error(), cat("reading ", given.string())));
  }
  return put(context, arguments, folder.path(), "replaced");
}

util::Result<int> run_rm(Context& context, const Arguments& arguments) {
  const util::TempDir empty;
  return put(context, arguments, empty.path(), "removed");
}

}  // namespace

CommandSpec deployitem_state_ls_command() {
  return {.path = "deployitem state ls",
          .group = k_group,
          .summary = "List what is in the state folder of a DeployItem",
          .details = "As it was when the last run ended. All of it is verified by its hash first.",
          .arguments = "NAME",
          .min_words = 1,
          .max_words = 1,
          .completes = Completes::deploy_items,
          .flags = {document_flag(), own_rights_flag()},
          .examples = {{"Of one item", "kubist deployitem state ls hello-greet -n quickstart"}},
          .run = run_ls};
}

CommandSpec deployitem_state_get_command() {
  return {
      .path = "deployitem state get",
      .group = k_group,
      .summary = "Save the state folder of a DeployItem as a gzipped tar",
      .details =
          "FILE is NAME.tar.gz by default; - stands for standard output. Nothing is written when "
          "the state turns out to be corrupt.",
      .arguments = "NAME [FILE]",
      .min_words = 1,
      .max_words = 2,
      .completes = Completes::deploy_items,
      .flags = {own_rights_flag()},
      .examples = {{"To a file", "kubist deployitem state get hello-greet greet.tar.gz"},
                   {"To tar", "kubist deployitem state get hello-greet - | tar tzv"}},
      .run = run_state_get};
}

CommandSpec deployitem_state_put_command() {
  return {
      .path = "deployitem state put",
      .group = k_group,
      .summary = "Give a DeployItem another state folder",
      .details =
          "The content of a folder, or of a gzipped tar such as 'state get' writes, replaces the "
          "state; the next run finds it. Also in place of a state that is corrupt. Refused while a "
          "job of the item runs, and for what no run could save: more than the item's state.limit, "
          "links that leave the folder, devices.",
      .arguments = "NAME FILE|FOLDER",
      .min_words = 2,
      .max_words = 2,
      .completes = Completes::deploy_items,
      .flags = {own_rights_flag()},
      .examples = {{"From a backup", "kubist deployitem state put hello-greet greet.tar.gz"},
                   {"From a folder", "kubist deployitem state put hello-greet ./state"}},
      .run = run_put};
}

CommandSpec deployitem_state_rm_command() {
  return {.path = "deployitem state rm",
          .group = k_group,
          .summary = "Empty the state folder of a DeployItem",
          .details = "The next run begins without state. Refused while a job of the item runs.",
          .arguments = "NAME",
          .min_words = 1,
          .max_words = 1,
          .completes = Completes::deploy_items,
          .flags = {own_rights_flag()},
          .examples = {{"Of one item", "kubist deployitem state rm hello-greet"}},
          .run = run_rm};
}

}  // namespace kubist::cli
