"""Numbers of system calls, for the two machines we have tables of: filters go by them, and logs name them."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["MACHINES", "Machine", "call_names"]


class Machine(NamedTuple):
    """What a filter must know of a processor: its audit constant and its call numbers."""

    audit: int
    numbers: Mapping[str, int]
    verified: bool  # the hostile corpus has been run on it


def _read(table: str) -> dict[str, int]:
    return {name: int(number) for name, _, number in (entry.partition("=") for entry in table.split())}


# of x86_64 all calls, in the order of their numbers, which leap once
_FROM_0 = """
read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn
ioctl pread64 pwrite64 readv writev access pipe select sched_yield mremap msync mincore madvise shmget shmat shmctl
dup dup2 pause nanosleep getitimer alarm setitimer getpid sendfile socket connect accept sendto recvfrom sendmsg
recvmsg shutdown bind listen getsockname getpeername socketpair setsockopt getsockopt clone fork vfork execve exit
wait4 kill uname semget semop semctl shmdt msgget msgsnd msgrcv msgctl fcntl flock fsync fdatasync truncate ftruncate
getdents getcwd chdir fchdir rename mkdir rmdir creat link unlink symlink readlink chmod fchmod chown fchown lchown
umask gettimeofday getrlimit getrusage sysinfo times ptrace getuid syslog getgid setuid setgid geteuid getegid setpgid
getppid getpgrp setsid setreuid setregid getgroups setgroups setresuid getresuid setresgid getresgid getpgid setfsuid
setfsgid getsid capget capset rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend sigaltstack utime mknod
uselib personality ustat statfs fstatfs sysfs getpriority setpriority sched_setparam sched_getparam sched_setscheduler
sched_getscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval mlock munlock mlockall
munlockall vhangup modify_ldt pivot_root _sysctl prctl arch_prctl adjtimex setrlimit chroot sync acct settimeofday
mount umount2 swapon swapoff reboot sethostname setdomainname iopl ioperm create_module init_module delete_module
get_kernel_syms query_module quotactl nfsservctl getpmsg putpmsg afs_syscall tuxcall security gettid readahead
setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr
fremovexattr tkill time futex sched_setaffinity sched_getaffinity set_thread_area io_setup io_destroy io_getevents
io_submit io_cancel get_thread_area lookup_dcookie epoll_create epoll_ctl_old epoll_wait_old remap_file_pages
getdents64 set_tid_address restart_syscall semtimedop fadvise64 timer_create timer_settime timer_gettime
timer_getoverrun timer_delete clock_settime clock_gettime clock_getres clock_nanosleep exit_group epoll_wait epoll_ctl
tgkill utimes vserver mbind set_mempolicy get_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify
mq_getsetattr kexec_load waitid add_key request_key keyctl ioprio_set ioprio_get inotify_init inotify_add_watch
inotify_rm_watch migrate_pages openat mkdirat mknodat fchownat futimesat newfstatat unlinkat renameat linkat symlinkat
readlinkat fchmodat faccessat pselect6 ppoll unshare set_robust_list get_robust_list splice tee sync_file_range
vmsplice move_pages utimensat epoll_pwait signalfd timerfd_create eventfd fallocate timerfd_settime timerfd_gettime
accept4 signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1 preadv pwritev rt_tgsigqueueinfo perf_event_open
recvmmsg fanotify_init fanotify_mark prlimit64 name_to_handle_at open_by_handle_at clock_adjtime syncfs sendmmsg setns
getcpu process_vm_readv process_vm_writev kcmp finit_module sched_setattr sched_getattr renameat2 seccomp getrandom
memfd_create kexec_file_load bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect
pkey_alloc pkey_free statx io_pgetevents rseq
"""
_FROM_424 = """
pidfd_send_signal io_uring_setup io_uring_enter io_uring_register open_tree move_mount fsopen fsconfig fsmount fspick
pidfd_open clone3 close_range openat2 pidfd_getfd faccessat2 process_madvise epoll_pwait2 mount_setattr quotactl_fd
landlock_create_ruleset landlock_add_rule landlock_restrict_self memfd_secret process_mrelease futex_waitv
set_mempolicy_home_node cachestat fchmodat2 map_shadow_stack futex_wake futex_wait futex_requeue statmount listmount
lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal setxattrat getxattrat listxattrat removexattrat
open_tree_attr file_getattr file_setattr
"""
_X86_64 = {
    **{name: number for number, name in enumerate(_FROM_0.split())},
    **{name: number for number, name in enumerate(_FROM_424.split(), 424)},
}

_AARCH64 = """
getcwd=17 eventfd2=19 dup=23 dup3=24 fcntl=25 ioctl=29 umount2=39 mount=40 pivot_root=41 faccessat=48 chroot=51
openat=56 close=57 pipe2=59 quotactl=60 getdents64=61 lseek=62 read=63 write=64 readv=65 writev=66 pread64=67
pwrite64=68 pselect6=72 ppoll=73 readlinkat=78 newfstatat=79 fstat=80 acct=89 capget=90 capset=91 exit=93 exit_group=94
unshare=97 futex=98 nanosleep=101 kexec_load=104 init_module=105 delete_module=106 clock_settime=112
clock_gettime=113 clock_getres=114 clock_nanosleep=115 syslog=116 ptrace=117 sched_getaffinity=123 sched_yield=124
restart_syscall=128 kill=129 tkill=130 tgkill=131 sigaltstack=132 rt_sigaction=134 rt_sigprocmask=135
rt_sigpending=136 rt_sigreturn=139 reboot=142 times=153 uname=160 sethostname=161 setdomainname=162 getrlimit=163
setrlimit=164 getrusage=165 prctl=167 getcpu=168 gettimeofday=169 settimeofday=170 adjtimex=171 getpid=172
getppid=173 getuid=174 geteuid=175 getgid=176 getegid=177 gettid=178 sysinfo=179 socket=198 socketpair=199
connect=203 sendmsg=211 brk=214 munmap=215 mremap=216 add_key=217 request_key=218 keyctl=219 clone=220 execve=221
mmap=222 swapon=224 swapoff=225 mprotect=226 madvise=233 perf_event_open=241 prlimit64=261 name_to_handle_at=264
open_by_handle_at=265 clock_adjtime=266 setns=268 process_vm_readv=270 process_vm_writev=271 finit_module=273
seccomp=277 getrandom=278 memfd_create=279 bpf=280 execveat=281 userfaultfd=282 statx=291 kexec_file_load=294
pidfd_send_signal=424 io_uring_setup=425 io_uring_enter=426 io_uring_register=427 open_tree=428 move_mount=429
fsopen=430 fsconfig=431 fsmount=432 fspick=433 pidfd_open=434 clone3=435 pidfd_getfd=438 faccessat2=439
process_madvise=440 mount_setattr=442 landlock_create_ruleset=444 landlock_add_rule=445 landlock_restrict_self=446
inotify_init1=26 inotify_add_watch=27 ioprio_set=30 sched_setparam=118 sched_setscheduler=119 sched_setaffinity=122
rt_sigqueueinfo=138 setpriority=140 mq_open=180 mq_unlink=181 msgget=186 msgctl=187 msgrcv=188 msgsnd=189 semget=190
semctl=191 semtimedop=192 semop=193 shmget=194 shmctl=195 shmat=196 bind=200 listen=201 accept=202 sendto=206
migrate_pages=238 move_pages=239 rt_tgsigqueueinfo=240 accept4=242 fanotify_init=262 fanotify_mark=263
sched_setattr=274
setxattr=5 lsetxattr=6 fsetxattr=7 removexattr=14 lremovexattr=15 fremovexattr=16 fchmod=52 fchmodat=53 fchownat=54
fchown=55 utimensat=88 memfd_secret=447 fchmodat2=452 setxattrat=463 removexattrat=466 file_setattr=469
getxattr=8 lgetxattr=9 listxattr=11 llistxattr=12 getxattrat=464 listxattrat=465
setsockopt=208
"""

MACHINES: Mapping[str, Machine] = {
    "x86_64": Machine(0xC000003E, _X86_64, verified=True),
    "aarch64": Machine(0xC00000B7, _read(_AARCH64), verified=False),  # present, not yet run there: never `strong`
}


def call_names() -> Mapping[int, str]:
    """The names of this machine's calls by number, as far as there is a table; of x86_64 all of them."""
    machine = MACHINES.get(platform.machine())
    return {} if machine is None else {number: name for name, number in machine.numbers.items()}
