#include "syscalls.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kubist::runtimes {

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)

namespace {

#ifdef __x86_64__
constexpr std::uint32_t k_arch = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t k_arch = AUDIT_ARCH_AARCH64;
#endif
constexpr std::uint32_t k_x32_calls = 0x40000000;  // the same numbers by another door
constexpr std::uint32_t k_refuse = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t k_namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                       CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

/// A BPF program: checks one after the other, each with its answer behind it.
class Filter {
 public:
  constexpr Filter() {
    load(offsetof(seccomp_data, arch));
    answer_if(BPF_JEQ, k_arch, 1, 0, SECCOMP_RET_KILL_PROCESS);
    load(k_number);
#ifdef __x86_64__
    answer_if(BPF_JGE, k_x32_calls, 0, 1, SECCOMP_RET_KILL_PROCESS);
#endif
  }

  constexpr void on(std::uint32_t number, std::uint32_t answer) {
    answer_if(BPF_JEQ, number, 0, 1, answer);
  }
  /// Only where an argument has that value (BPF_JEQ), or one of these bits (BPF_JSET).
  constexpr void on_argument(std::uint32_t number, std::size_t argument, std::uint16_t test,
                             std::uint32_t value, std::uint32_t answer) {
    add({BPF_JMP | BPF_JEQ | BPF_K, 0, 4, number});
    // Little-endian: its lower half comes first.
    load(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
    answer_if(test, value, 0, 1, answer);
    load(k_number);
  }
  constexpr void end(std::uint32_t answer) { add({BPF_RET | BPF_K, 0, 0, answer}); }

  void install() const {
    const sock_fprog program{m_size, const_cast<sock_filter*>(m_code.data())};
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  }

 private:
  static constexpr std::size_t k_number = offsetof(seccomp_data, nr);

  constexpr void add(sock_filter instruction) { m_code[m_size++] = instruction; }
  constexpr void load(std::size_t offset) {
    add({BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)});
  }
  constexpr void answer_if(std::uint16_t test, std::uint32_t value, std::uint8_t skip_true,
                           std::uint8_t skip_false, std::uint32_t answer) {
    add({static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), skip_true, skip_false, value});
    end(answer);
  }

  std::array<sock_filter, 256> m_code{};
  std::uint16_t m_size = 0;
};

constexpr Filter program_filter() {
  Filter filter;
  for (const std::uint32_t number : {
           // Other processes.
           __NR_ptrace,
           __NR_process_vm_readv,
           __NR_process_vm_writev,
           __NR_pidfd_getfd,
           __NR_kcmp,
           // Mounts and namespaces.
           __NR_mount,
           __NR_umount2,
           __NR_pivot_root,
           __NR_chroot,
           __NR_move_mount,
           __NR_open_tree,
           __NR_fsopen,
           __NR_fsconfig,
           __NR_fsmount,
           __NR_fspick,
           __NR_mount_setattr,
           __NR_unshare,
           __NR_setns,
           __NR_name_to_handle_at,
           __NR_open_by_handle_at,
           __NR_quotactl,
           __NR_acct,
           __NR_swapon,
           __NR_swapoff,
           // Where bugs of the kernel are found.
           __NR_bpf,
           __NR_perf_event_open,
           __NR_userfaultfd,
           __NR_io_uring_setup,
           __NR_io_uring_enter,
           __NR_io_uring_register,
           __NR_keyctl,
           __NR_add_key,
           __NR_request_key,
           // The machine.
           __NR_kexec_load,
           __NR_kexec_file_load,
           __NR_init_module,
           __NR_finit_module,
           __NR_delete_module,
           __NR_reboot,
           __NR_sethostname,
           __NR_setdomainname,
           __NR_settimeofday,
           __NR_clock_settime,
           __NR_clock_adjtime,
           __NR_adjtimex,
           __NR_syslog,
           __NR_vhangup,
#ifdef __x86_64__
           __NR_iopl,
           __NR_ioperm,
           __NR_modify_ldt,
#endif
       }) {
    filter.on(number, k_refuse);
  }
  filter.on_argument(__NR_clone, 0, BPF_JSET, k_namespaces, k_refuse);
  // Its flags are in memory, where no filter looks: libc takes clone instead.
  filter.on(__NR_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  filter.on_argument(__NR_ioctl, 1, BPF_JEQ, TIOCSTI, k_refuse);
  filter.on_argument(__NR_ioctl, 1, BPF_JEQ, TIOCLINUX, k_refuse);
  filter.end(SECCOMP_RET_ALLOW);
  return filter;
}

constexpr Filter evaluation_filter(std::uint32_t pid) {
  Filter filter;
  for (const std::uint32_t number : {__NR_read,
                                     __NR_write,
                                     __NR_writev,
                                     __NR_fstat,
                                     __NR_brk,
                                     __NR_mmap,
                                     __NR_munmap,
                                     __NR_mremap,
                                     __NR_mprotect,
                                     __NR_madvise,
                                     __NR_futex,
                                     __NR_getrandom,
                                     __NR_clock_gettime,
                                     __NR_getpid,
                                     __NR_gettid,
                                     __NR_rt_sigaction,
                                     __NR_rt_sigprocmask,
                                     __NR_rt_sigreturn,
                                     __NR_sigaltstack,
                                     __NR_restart_syscall,
                                     __NR_exit,
                                     __NR_exit_group}) {
    filter.on(number, SECCOMP_RET_ALLOW);
  }
  filter.on_argument(__NR_tgkill, 0, BPF_JEQ, pid, SECCOMP_RET_ALLOW);  // abort()
  filter.end(k_refuse);
  return filter;
}

constexpr Filter k_program_filter = program_filter();

}  // namespace

void refuse_dangerous_calls() { k_program_filter.install(); }

void allow_evaluation_only() {
  evaluation_filter(static_cast<std::uint32_t>(::getpid())).install();
}

#else

void refuse_dangerous_calls() {}
void allow_evaluation_only() {}

#endif

}  // namespace kubist::runtimes
