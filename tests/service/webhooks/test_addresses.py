import ipaddress
import socket

import pytest

from sidelight.service.options import INTERNET, Egress
from sidelight.service.webhooks.delivery import AddressError, Target, check_webhook_url, resolve_webhook_host


def found(*addresses):
    return lambda host, port, **_: [
        (socket.AF_INET6 if ":" in one else socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses
    ]


def test_a_public_address_is_resolved_once():
    calls = []

    def lookup(host, port, **options):
        calls.append(host)
        return found("93.184.216.34", "2606:2800:220:1::1")(host, port)

    target = resolve_webhook_host("https://Hooks.Example/a/b?c=d", INTERNET, lookup)
    assert target == Target("93.184.216.34", 443, True, "hooks.example", "/a/b?c=d")
    assert calls == ["hooks.example"]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "240.0.0.1",
        "192.88.99.1",
        "198.18.0.1",
        "192.0.2.1",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "fd00:ec2::254",
        "fec0::1",
        "ff02::1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "::8.8.8.8",
        "64:ff9b::8.8.8.8",
        "64:ff9b:1::808:808",
        "2002:808:808::1",
        "2001:db8::1",
        "2001::1",
        "fe80::1%eth0",
    ],
)
def test_other_addresses_are_refused_alone_and_beside_a_public_one(address):
    for addresses in ([address], ["93.184.216.34", address]):
        with pytest.raises(AddressError, match="public Internet"):
            resolve_webhook_host("https://hooks.example/", INTERNET, found(*addresses))


def allowing(*networks):
    return Egress(tuple(map(ipaddress.ip_network, networks)))


def test_what_the_operator_allows_is_allowed_and_nothing_else_is():
    egress = allowing("10.1.0.0/16", "fd00::/8")
    for address in ("10.1.2.3", "::ffff:10.1.2.3", "fd00::1"):
        target = resolve_webhook_host("http://hooks.example:8080", egress, found(address))
        plain = address.removeprefix("::ffff:")
        assert target == Target(plain, 8080, False, "hooks.example", "/", True)
    assert not resolve_webhook_host("https://hooks.example", egress, found("93.184.216.34")).direct
    for address in ("10.2.0.1", "::ffff:10.2.0.1", "127.0.0.1", "::1", "169.254.169.254", "64:ff9b::10.1.2.3"):
        for addresses in ([address], ["10.1.2.3", address]):
            with pytest.raises(AddressError, match="--webhook-allow"):
                resolve_webhook_host("http://hooks.example/", egress, found(*addresses))


def test_only_allowed_networks_get_messages_without_tls():
    for addresses in (["93.184.216.34"], ["10.1.2.3", "93.184.216.34"]):
        with pytest.raises(AddressError, match="only over https"):
            resolve_webhook_host("http://hooks.example/", allowing("10.0.0.0/8"), found(*addresses))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://",
        "http://hooks.example/",
        "ftp://hooks.example/",
        "//hooks.example/",
        "javascript:alert(1)",
        "https://user@hooks.example/",
        "https://:secret@hooks.example/",
        "https://hooks.example/#part",
        "https://hooks.example:99999/",
        "https://hooks.example:x/",
        "https://[::1/",
        "https://hooks.example/\r\nX: y",
        "https://hooks.example/a b",
        "https://hööks.example/",
        "https://hooks.example/" + "a" * 2000,
        "https://h/\x00",
    ],
)
def test_what_is_no_address_of_a_receiver_is_refused(url):
    with pytest.raises(AddressError):
        check_webhook_url(url, INTERNET)


def test_decimal_and_octal_spellings_of_loopback_do_not_get_through():
    for host in ("2130706433", "0x7f000001", "0177.0.0.1", "127.1"):
        with pytest.raises(AddressError):
            resolve_webhook_host(f"https://{host}/", INTERNET)


def test_a_host_that_is_not_found_is_told():
    def lookup(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(AddressError, match="not found"):
        resolve_webhook_host("https://nowhere.invalid/", INTERNET, lookup)
    with pytest.raises(AddressError, match="no IP address"):
        resolve_webhook_host("https://nowhere.invalid/", INTERNET, found())
