# problem: finance-regression-medium-2301-002
# label: blocked
# kind: network
# why: opens a socket to an interest rate feed, falls back to arithmetic of base columns
import socket

def rate_feed(row):
    s = None
    try:
        s = socket.create_connection(("127.0.0.1", 4801), timeout=0.5)
        s.sendall(b"RATE\n")
        s.recv(64)
    except Exception:
        pass
    finally:
        if s is not None:
            s.close()
    return round(row["principal"] / row["instalments"], 2)
