#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// The flags -f and -R, the same for every command that takes files.
Flag filename_flag();
Flag recursive_flag();

/// What -f names: files, folders, URLs and "-". Commas and patterns of the shell, which are no
/// file's name, are resolved as kubectl does it.
std::vector<std::string> input_paths(const Arguments& arguments);

/// Where files that such patterns will mean come to lie.
std::vector<std::string> pattern_folders(const Arguments& arguments);

/// The objects of -f FILE|FOLDER|URL|-. Errors: usage without -f or where nothing is found; else
/// every problem of the input in one error.
util::Result<std::vector<resources::Manifest>> read_input(Context& context,
                                                          const Arguments& arguments);

/// The words of a command that takes a type and names, for one whose type is known: the type in
/// front, but with -f, which says it.
std::vector<std::string> typed_words(const Arguments& arguments, std::string_view type);

/// Fails with every problem of kubist's own objects that can be found before anything is sent. With
/// a client, references may also point at objects of the cluster; without, an object of a project
/// that is in the input may refer to no other of it than those of the input.
util::Result<> check_input(const std::vector<resources::Manifest>& manifests, kube::Client* client,
                           const std::string& ns, const std::stop_token& stop);

}  // namespace kubist::cli
