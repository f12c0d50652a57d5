"""Secrets that are made up: tokens of known forms, and blocks of private keys as files and programs
hold them."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
MIXED = LETTERS + "0123456789"
BASE64 = MIXED + "+/"


def drawn(chance, alphabet, length):
    return "".join(chance.choice(alphabet) for _ in range(length))


def tokens(chance):
    """A token of each of some forms."""
    yield "gh" + "p_" + drawn(chance, MIXED, 36)
    yield "gl" + "sa_" + drawn(chance, MIXED, 32) + "_" + drawn(chance, "0123456789abcdef", 8)
    yield "gl" + "pat-" + drawn(chance, MIXED, 20)
    yield "AI" + "za" + drawn(chance, MIXED, 35)
    yield "np" + "m_" + drawn(chance, MIXED, 36)
    yield "dop" + "_v1_" + drawn(chance, "0123456789abcdef", 64)
    yield "sk_" + "live_" + drawn(chance, MIXED, 40)
    yield "xox" + "b-" + drawn(chance, "0123456789", 12) + "-" + drawn(chance, MIXED, 24)
    yield "https://bob:" + drawn(chance, MIXED, 20) + "@db.internal/x"


def body(token):
    """The part of a token that must go."""
    return token.removeprefix("https://bob:").removesuffix("@db.internal/x")


def blocks(chance):
    """Blocks of private keys: whole, with headers, without an end, cut within a line."""
    for label in ("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY",
                  "PGP PRIVATE KEY BLOCK", "ENCRYPTED PRIVATE KEY"):
        begin, end = f"-----BEGIN {label}-----", f"-----END {label}-----"
        body = [drawn(chance, BASE64, 64) for _ in range(chance.randint(3, 12))]
        last = drawn(chance, BASE64, chance.choice([20, 40, 63])) + "="
        yield "\n".join([begin, *body, last, end])
        headers = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC," + drawn(chance, "0123456789ABCDEF", 32), ""]
        yield "\n".join([begin, *headers, *body, last, end])
        yield "\n".join([begin, *body, last])
        yield "\n".join([begin, *body, drawn(chance, BASE64, 17)])
        yield "\n".join([begin, *body[:1]])
        yield "\n".join([begin, "".join(body) + last, end])
        yield "\n".join([begin, *("  " + line for line in body), last, end])
        yield "\r\n".join([begin, *body, last, end])


def bodies(block):
    """The lines of a block that hold the key."""
    lines = [line.strip() for line in block.splitlines()]
    return [line for line in lines if len(line) > 12 and ":" not in line and "-----" not in line]
