#pragma once
#include <cstddef>
#include <string_view>

/// What the pod builder, the agent and the workload agree on: paths, variables, keys.
namespace kubist::state {

/// Below which everything is, in every container.
inline constexpr std::string_view k_data_dir = "/data/kubist";
/// Read-only for the workload: what it is given.
inline constexpr std::string_view k_in_dir = "/data/kubist/in";
/// The workload's own: what it gives back.
inline constexpr std::string_view k_out_dir = "/data/kubist/out";
/// Where restore finds the item's input Secret and its state Secret; chunks are in folders of the
/// latter, SETn (a0, a1, ...) with the files k_state_key and k_part_key.
inline constexpr std::string_view k_given_dir = "/data/kubist/given";
inline constexpr std::string_view k_kept_dir = "/data/kubist/kept";

/// Below k_in_dir.
inline constexpr std::string_view k_imports_file = "imports.json";
inline constexpr std::string_view k_target_file = "target.json";
inline constexpr std::string_view k_script_file = "script";
inline constexpr std::string_view k_tini_file = "tini";
inline constexpr std::string_view k_content_dir = "content";
/// Below k_out_dir.
inline constexpr std::string_view k_exports_file = "exports";
inline constexpr std::string_view k_state_dir = "state";

/// Keys of the item's input Secret.
inline constexpr std::string_view k_imports_key = "imports.json";
inline constexpr std::string_view k_target_key = "target.json";
inline constexpr std::string_view k_script_key = "script";
inline constexpr std::string_view k_schema_key = "schema.json";
/// Keys of the export Secrets (there and at home) and of the state's head Secret.
inline constexpr std::string_view k_export_key = "config";
inline constexpr std::string_view k_head_key = "head";
inline constexpr std::string_view k_state_key = "state";
inline constexpr std::string_view k_part_key = "part";

/// Annotations of the export and state Secrets beside the pod: the job that may write them, and
/// (export Secret) what the sidecar of that job did.
inline constexpr std::string_view k_job_annotation = "kubist.io/job";
inline constexpr std::string_view k_mark_annotation = "kubist.io/collected";

/// Exports, and state that lives in its head Secret, may have this many bytes; together with the
/// rest of the object that stays below the API's limit of 1 MiB.
inline constexpr std::size_t k_max_exports = std::size_t{900} << 10U;
inline constexpr std::size_t k_max_head_state = std::size_t{900} << 10U;
/// Larger state is cut into chunks of this size, in Secrets of their own: two sets, by turns.
inline constexpr std::size_t k_chunk = std::size_t{900} << 10U;
inline constexpr std::string_view k_first_set = "a";
inline constexpr std::string_view k_second_set = "b";
/// The most that state.limit may allow: 146 Secrets of chunks.
inline constexpr std::size_t k_max_state = std::size_t{64} << 20U;

}  // namespace kubist::state
