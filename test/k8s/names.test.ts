import { describe, expect, test } from "vitest";
import {
  configMapKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  envVarName,
  labelValue,
  portName,
  portNumber,
  qualifiedName,
  unprefixed,
} from "../../shared/k8s/names.ts";

describe("validation of names", () => {
  test("describes an invalid DNS-1123 subdomain in upstream's words", () => {
    expect(dns1123Subdomain("a.b-c")).toEqual([]);
    expect(dns1123Subdomain("Bad_Name")).toEqual([
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
    expect(dns1123Subdomain("a".repeat(254))).toEqual(["must be no more than 253 characters"]);
  });
  test("a DNS-1123 label has no dots", () => {
    expect(dns1123Label("a.b")).toEqual(["must not contain dots"]);
    expect(dns1123Label("a".repeat(63))).toEqual([]);
    expect(dns1123Label("-a")[0]).toContain("(e.g. 'my-name',  or '123-abc', regex used for validation is");
  });
  test("a DNS-1035 label begins with a letter", () => {
    expect(dns1035Label("1a")).toHaveLength(1);
    expect(dns1035Label("a1")).toEqual([]);
  });
  test("a qualified name has at most one prefix", () => {
    expect(qualifiedName("example.com/a_b.c")).toEqual([]);
    expect(qualifiedName("a/b/c")).toHaveLength(1);
    expect(qualifiedName("/b")).toEqual(["prefix part must be non-empty"]);
    expect(qualifiedName("a/")[0]).toBe("name part must be non-empty");
    expect(qualifiedName("a".repeat(64))).toEqual(["name part must be no more than 63 bytes"]);
  });
  test("label values, keys, ports and variables have their own rules", () => {
    expect(labelValue("")).toEqual([]);
    expect(labelValue("a b")).toHaveLength(1);
    expect(configMapKey("..")).toEqual(["must not be '..'"]);
    expect(configMapKey("..a")).toEqual(["must not start with '..'"]);
    expect(portName("-http--x")).toEqual([
      "must not contain consecutive hyphens",
      "must not begin or end with a hyphen",
    ]);
    expect(portName("80")).toEqual(["must contain at least one letter (a-z)"]);
    expect(portNumber(0)).toEqual(["must be between 1 and 65535, inclusive"]);
    expect(envVarName("1 b")).toEqual([]);
    expect(envVarName("a=b")).toHaveLength(1);
    expect(envVarName("")).toEqual(["environment variable name must be non-empty"]);
  });
  test("a prefix of a generated name may end with a dash", () => {
    const check = unprefixed(dns1123Label);
    expect(check("web-", true)).toEqual([]);
    expect(check("web-", false)).toHaveLength(1);
  });
});
