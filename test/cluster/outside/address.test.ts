// Which hosts the hosted service calls, whatever form they are written in.
import { describe, expect, test } from "vitest";
import { isPublicHost } from "../../../worker/cluster/outside/address.ts";

const hostOf = (authority: string) => new URL(`https://${authority}/`).hostname;

describe("The hosted service", () => {
  test.each([
    "example.com",
    "a.b.example.",
    "8.8.8.8",
    "172.32.0.1",
    "100.128.0.1",
    "[2606:4700::1111]",
    "[64:ff9b::808:808]",
  ])("calls %s", (host) => expect(isPublicHost(hostOf(host))).toBe(true));

  test.each([
    "localhost",
    "hook",
    "x.localhost",
    "x.local",
    "x.internal",
    "metadata.google.internal",
    "localhost.",
    "hook.default.svc",
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:8.8.8.8]",
    "[::7f00:1]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[64:ff9b::7f00:1]",
    "[2001::1]",
  ])("does not call %s", (host) => expect(isPublicHost(hostOf(host))).toBe(false));
});
