"""Numbers of the system calls that the filters name, for the two machines we have tables of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["MACHINES", "Machine"]


class Machine(NamedTuple):
    """What a filter must know of a processor: its audit constant and its call numbers."""

    audit: int
    numbers: Mapping[str, int]
    verified: bool  # the hostile corpus has been run on it


def _read(table: str) -> dict[str, int]:
    return {name: int(number) for name, _, number in (entry.partition("=") for entry in table.split())}


_X86_64 = """
read=0 write=1 open=2 close=3 stat=4 fstat=5 lstat=6 poll=7 lseek=8 mmap=9 mprotect=10 munmap=11 brk=12
rt_sigaction=13 rt_sigprocmask=14 rt_sigreturn=15 ioctl=16 pread64=17 pwrite64=18 readv=19 writev=20 access=21
pipe=22 select=23 sched_yield=24 mremap=25 madvise=28 dup=32 dup2=33 nanosleep=35 getpid=39 socket=41 connect=42
sendmsg=46 socketpair=53 clone=56 fork=57 vfork=58 execve=59 exit=60 kill=62 uname=63 fcntl=72 getdents=78 getcwd=79
readlink=89 gettimeofday=96 getrlimit=97 getrusage=98 sysinfo=99 times=100 ptrace=101 getuid=102 syslog=103
getgid=104 geteuid=107 getegid=108 getppid=110 getpgrp=111 capget=125 capset=126 rt_sigpending=127 sigaltstack=131
pivot_root=155 prctl=157 adjtimex=159 setrlimit=160 chroot=161 acct=163 settimeofday=164 mount=165 umount2=166
swapon=167 swapoff=168 reboot=169 sethostname=170 setdomainname=171 init_module=175 delete_module=176 quotactl=179
gettid=186 tkill=200 time=201 futex=202 sched_getaffinity=204 getdents64=217 restart_syscall=219 clock_settime=227
clock_gettime=228 clock_getres=229 clock_nanosleep=230 exit_group=231 tgkill=234 kexec_load=246 add_key=248
request_key=249 keyctl=250 openat=257 newfstatat=262 readlinkat=267 faccessat=269 pselect6=270 ppoll=271 unshare=272
eventfd2=290 dup3=292 pipe2=293 perf_event_open=298 prlimit64=302 name_to_handle_at=303 open_by_handle_at=304
clock_adjtime=305 setns=308 getcpu=309 process_vm_readv=310 process_vm_writev=311 finit_module=313 seccomp=317
getrandom=318 memfd_create=319 kexec_file_load=320 bpf=321 execveat=322 userfaultfd=323 statx=332
pidfd_send_signal=424 io_uring_setup=425 io_uring_enter=426 io_uring_register=427 open_tree=428 move_mount=429
fsopen=430 fsconfig=431 fsmount=432 fspick=433 pidfd_open=434 clone3=435 pidfd_getfd=438 faccessat2=439
process_madvise=440 mount_setattr=442 landlock_create_ruleset=444 landlock_add_rule=445 landlock_restrict_self=446
shmget=29 shmat=30 shmctl=31 accept=43 sendto=44 bind=49 listen=50 semget=64 semop=65 semctl=66 msgget=68 msgsnd=69
msgrcv=70 msgctl=71 rt_sigqueueinfo=129 setpriority=141 sched_setparam=142 sched_setscheduler=144
sched_setaffinity=203 semtimedop=220 mq_open=240 mq_unlink=241 ioprio_set=251 inotify_init=253 inotify_add_watch=254
migrate_pages=256 move_pages=279 accept4=288 inotify_init1=294 rt_tgsigqueueinfo=297 fanotify_init=300
fanotify_mark=301 sched_setattr=314
chmod=90 fchmod=91 chown=92 fchown=93 lchown=94 utime=132 setxattr=188 lsetxattr=189 fsetxattr=190 removexattr=197
lremovexattr=198 fremovexattr=199 utimes=235 fchownat=260 futimesat=261 fchmodat=268 utimensat=280 memfd_secret=447
fchmodat2=452 setxattrat=463 removexattrat=466 file_setattr=469 getxattr=191 lgetxattr=192 listxattr=194 llistxattr=195
getxattrat=464 listxattrat=465 setsockopt=54
"""

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
    "x86_64": Machine(0xC000003E, _read(_X86_64), verified=True),
    "aarch64": Machine(0xC00000B7, _read(_AARCH64), verified=False),  # present, not yet run there: never `strong`
}
