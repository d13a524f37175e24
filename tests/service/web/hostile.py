"""Texts that break pages which are not careful."""

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "</textarea></title></style><svg/onload=alert(1)>",
    "a&amp;b&lt;c",
    "\u202egnitirw-thgir\u202c",
    "\U0001f34e " * 20,
    "a" * 200,
    "x\ty\r\nz\x0b\x1f\x7f",
    "%2e%2e/%00?#&=+;",
    "\N{ZERO WIDTH JOINER}.",
    "NULL",
)
LABELS = tuple(text for text in HOSTILE if text.splitlines() == [text])
"""Those that may be labels: forms would not send line breaks back as they are."""
