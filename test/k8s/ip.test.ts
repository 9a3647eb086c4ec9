import { describe, expect, test } from "vitest";
import { path } from "../../shared/k8s/field.ts";
import { formatIp, parseIp } from "../../shared/k8s/ip.ts";
import {
  getWarningsForCidr,
  getWarningsForIp,
  validateCidrForLegacyField,
  validateIpForLegacyField,
} from "../../worker/kinds/common/ip-validation.ts";

const at = path("ip");
const messages = (errors: readonly { message: string }[]) => errors.map(({ message }) => message);

describe("parsed addresses", () => {
  test.each([
    ["10.96.0.1", "IPv4", "10.96.0.1"],
    ["010.0.0.08", "IPv4", "10.0.0.8"],
    ["::", "IPv6", "::"],
    ["2001:DB8:0:0:1:0:0:1", "IPv6", "2001:db8::1:0:0:1"],
    ["1:0:2:3:4:5:6:7", "IPv6", "1:0:2:3:4:5:6:7"],
    ["fe80::1", "IPv6", "fe80::1"],
    ["64:ff9b::192.0.2.1", "IPv6", "64:ff9b::c000:201"],
    ["::ffff:10.0.0.1", "IPv4", "10.0.0.1"],
  ])("%s is an address and prints in its canonical form", (text, family, canonical) => {
    const ip = parseIp(text);
    expect(ip?.family).toBe(family);
    expect(ip && formatIp(ip)).toBe(canonical);
  });

  test.each([
    "",
    "10.0.0",
    "10.0.0.256",
    "10.0.0.1.2",
    "a.b.c.d",
    "1::2::3",
    "12345::",
    "1:2:3:4:5:6:7",
    ":1",
    "::1%eth0",
  ])("%j is not an address", (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});

describe("validated addresses", () => {
  test.each([
    ["10.0.0.1", []],
    ["x", ['Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ["10.0.0.01", ['Invalid value: "10.0.0.01": must not have leading 0s']],
    ["::ffff:1.2.3.4", ['Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address']],
  ])("an address is strictly validated: %s", (text, expected) => {
    expect(messages(validateIpForLegacyField(text, at))).toEqual(expected);
  });

  test.each([
    ["10.0.0.0/8", []],
    ["0.0.0.0/0", []],
    ["2001:db8::/32", []],
    ["10.0.0.0/33", ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"]],
    ["10.0.0.0", ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"]],
    ["10.1.0.0/8", ["must not have bits set beyond the prefix length"]],
    ["10.128.0.0/9", []],
    ["10.192.0.0/9", ["must not have bits set beyond the prefix length"]],
    ["10.0.0.0/08", ["must not have leading 0s in IP or prefix length"]],
    ["::ffff:10.0.0.0/104", ["must not have an IPv4-mapped IPv6 address"]],
  ])("a CIDR has no bits past its prefix: %s", (text, expected) => {
    expect(messages(validateCidrForLegacyField(text, at))).toEqual(
      expected.map((why) => `Invalid value: "${text}": ${why}`),
    );
  });

  test("IPv6 in a non-canonical form has a warning", () => {
    expect(getWarningsForIp("2001:db8::0:1", at)).toEqual([
      'ip: IPv6 address "2001:db8::0:1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ]);
    expect(getWarningsForIp("2001:db8::1", at)).toEqual([]);
    expect(getWarningsForCidr("2001:DB8::/32", at)).toEqual([
      'ip: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
    ]);
  });
});
