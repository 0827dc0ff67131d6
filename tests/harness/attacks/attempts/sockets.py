"""Sockets of every kind: to the accomplice, to the kernel, to the machine's services."""

from __future__ import annotations

import array
import os
import socket
import struct

from tests.harness.attacks import means


def _connect(channel: socket.socket, address: object, target: means.Target) -> str:
    channel.settimeout(1.0)
    channel.connect(address)
    return means.exchange(channel, target)


def stream_to_a_path(target: means.Target) -> str | None:
    return _connect(socket.socket(socket.AF_UNIX), target.stream, target)


def datagram_to_a_path(target: means.Target) -> str | None:
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"marker", target.datagram)
    return "sent a datagram"


def stream_to_an_abstract_name(target: means.Target) -> str | None:
    return _connect(socket.socket(socket.AF_UNIX), f"\0{target.abstract}", target)


def datagram_to_an_abstract_name(target: means.Target) -> str | None:
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"marker", f"\0{target.abstract}-datagram")
    return "sent a datagram"


def pair_of_datagrams_turned_to_others(target: means.Target) -> str | None:
    """A pair is allowed; dissolved and bound anew, it is a socket like any other."""
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    unspecified = struct.pack("<H14x", socket.AF_UNSPEC)
    means.every([lambda: str(means.syscall(42, one.fileno(), unspecified, 2)), lambda: "as it is"])

    def send(address: str) -> str:
        one.sendto(b"marker", address)
        return f"sent a datagram to {address!r}"

    return means.every([lambda: send(target.datagram), lambda: send(f"\0{target.abstract}-datagram")])


def pair_connected_to_others(target: means.Target) -> str | None:
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return means.every(
        [
            lambda: _connect(one, target.datagram, target),
            lambda: _connect(one, f"\0{target.abstract}-datagram", target),
        ]
    )


def message_with_an_address_on_a_pair(target: means.Target) -> str | None:
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)

    def send(address: str) -> str:
        one.sendmsg([b"marker"], [], 0, address)
        return f"sendmsg reached {address!r}"

    return means.every([lambda: send(target.datagram), lambda: send(f"\0{target.abstract}-datagram")])


def many_messages_with_addresses(target: means.Target) -> str | None:
    """sendmmsg with the address inside the structure."""
    import ctypes

    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    address = ctypes.create_string_buffer(struct.pack("<H", socket.AF_UNIX) + target.datagram.encode() + b"\0")
    text = ctypes.create_string_buffer(b"marker")
    vector = (ctypes.c_uint64 * 2)(ctypes.addressof(text), 6)
    parts = (ctypes.addressof(address), len(address) - 1, ctypes.addressof(vector), 1, 0, 0, 0)
    header = ctypes.create_string_buffer(struct.pack("<QI4xQQQQi4xI4x", *parts, 0))
    means.syscall(307, one.fileno(), header, 1, 0)
    return "sendmmsg reached the accomplice"


def descriptor_passed_to_the_accomplice(target: means.Target) -> str | None:
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    mine = os.open(".", os.O_RDONLY)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [mine]))]
    one.sendmsg([b"marker"], rights, 0, target.datagram)
    return "passed a descriptor"


def socket_bound_to_a_path_outside(target: means.Target) -> str | None:
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    channel.bind(target.mark("/tmp")[:100])
    return "bound a socket outside"


def pair_bound_to_an_abstract_name(target: means.Target) -> str | None:
    """Siblings could meet there."""
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.bind(f"\0mark-{target.token}")
    return "bound an abstract name"


def socket_listening_under_an_abstract_name(target: means.Target) -> str | None:
    channel = socket.socket(socket.AF_UNIX)
    channel.bind(f"\0mark-{target.token}-listen")
    channel.listen()
    return "listens under an abstract name"


def tcp_to_the_accomplice(target: means.Target) -> str | None:
    return _connect(socket.socket(), ("127.0.0.1", target.port), target)


def tcp_with_the_first_message_in_the_opening(target: means.Target) -> str | None:
    channel = socket.socket()
    return f"sent {channel.sendto(b'marker', 0x20000000, ('127.0.0.1', target.port))} bytes"  # MSG_FASTOPEN


def tcp_of_several_paths(target: means.Target) -> str | None:
    return _connect(socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262), ("127.0.0.1", target.port), target)


def tcp_of_other_families(target: means.Target) -> str | None:
    """SMC falls back to TCP; IPv6 has addresses of IPv4 in it."""
    return means.every(
        [
            lambda: _connect(socket.socket(socket.AF_INET6), ("::ffff:127.0.0.1", target.port), target),
            lambda: _connect(socket.socket(43, socket.SOCK_STREAM, 0), ("127.0.0.1", target.port), target),
        ]
    )


def udp_to_the_accomplice(target: means.Target) -> str | None:
    """As a question for a name would go out."""
    question = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x06marker\x04test\x00\x00\x01\x00\x01"
    socket.socket(type=socket.SOCK_DGRAM).sendto(question, ("127.0.0.1", target.port))
    return "sent a datagram"


def other_protocols_over_ip(target: means.Target) -> str | None:
    def send(kind: int, protocol: int) -> str:
        socket.socket(socket.AF_INET, kind, protocol).sendto(b"marker", ("127.0.0.1", target.port))
        return f"sent with protocol {protocol}"

    return means.every(
        [
            lambda: send(socket.SOCK_DGRAM, 136),  # UDP-Lite
            lambda: send(socket.SOCK_DGRAM, 1),  # ping
            lambda: send(socket.SOCK_RAW, 1),
            lambda: send(socket.SOCK_SEQPACKET, 132),  # SCTP
            lambda: send(6, 33),  # DCCP
        ]
    )


def port_of_its_own(target: means.Target) -> str | None:
    """Listening without an address takes a free port."""
    channel = socket.socket()
    channel.listen()
    return f"listens at {channel.getsockname()}"


def network_of_the_machine_listed(target: means.Target) -> str | None:
    """Names of interfaces, by the kernel's own socket and by the file system."""

    def ask(protocol: int, kind: int) -> str:
        channel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        channel.settimeout(1.0)
        channel.send(struct.pack("<IHHIIB3x", 20, kind, 0x301, 1, 0, 0))
        return f"netlink {protocol} answered {len(channel.recv(8192))} bytes"

    return means.every([lambda: ask(0, 18), lambda: f"interfaces {socket.if_nameindex()}"])


def kernel_messages_by_netlink(target: means.Target) -> str | None:
    def listen(protocol: int) -> str:
        channel = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, protocol)
        channel.bind((0, 1))
        return f"listens to netlink {protocol}"

    return means.every([lambda number=number: listen(number) for number in (15, 9, 4, 16, 12, 11)])


def frames_of_the_network_read(target: means.Target) -> str | None:
    return means.every(
        [
            lambda: f"packet socket {socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))}",
            lambda: f"packet socket {socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))}",
            lambda: f"XDP socket {socket.socket(44, socket.SOCK_RAW, 0)}",
        ]
    )


def host_of_the_virtual_machine(target: means.Target) -> str | None:
    channel = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    channel.settimeout(0.2)
    channel.bind((0xFFFFFFFF, 0xFFFFFFFF))
    return f"bound to {channel.getsockname()}"


def sockets_of_other_families(target: means.Target) -> str | None:
    """Bluetooth, CAN, TIPC, RDS, the phone network, QRTR: a socket that opens reaches beyond the process."""
    families = (31, 29, 30, 21, 35, 42, 39, 36, 9, 4, 5, 33)
    return means.every(
        [
            lambda family=family, kind=kind: f"family {family}: {socket.socket(family, kind)}"
            for family in families
            for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
        ]
    )


def network_by_other_programs(target: means.Target) -> str | None:
    command = f"bash -c 'echo marker > /dev/tcp/127.0.0.1/{target.port}' && echo reached"
    return "a shell reached the accomplice" if b"reached" in means.shell(command) else None


def names_resolved_by_services(target: means.Target) -> str | None:
    """The caches of names and users on this machine, if there are any."""
    paths = (
        "/run/nscd/socket",
        "/var/run/nscd/socket",
        "/run/systemd/resolve/io.systemd.Resolve",
        "/run/dbus/system_bus_socket",
    )

    def reach(path: str) -> str:
        socket.socket(socket.AF_UNIX).connect(path)
        return f"reached {path}"

    return means.every([lambda path=path: reach(path) for path in paths])


def message_into_a_fifo(target: means.Target) -> str | None:
    return f"wrote {os.write(os.open(target.fifo, os.O_WRONLY | os.O_NONBLOCK), b'marker')} bytes"


def message_taken_from_a_fifo(target: means.Target) -> str | None:
    return f"opened {os.open(target.fifo, os.O_RDONLY | os.O_NONBLOCK)}"


def connection_by_a_ring(target: means.Target) -> str | None:
    """io_uring makes a socket without the call for it; its set-up is where that ends."""
    import ctypes

    parameters = ctypes.create_string_buffer(120)
    ring = means.syscall(425, 4, parameters)
    socket.socket(socket.AF_INET)
    return f"has a ring {ring} and a socket"
