// Functions behind the authentication of a sandbox: tags, forms of credentials, addresses, and expiry.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { sandboxAddress } from "../../worker/edge/address.ts";
import { bearerOf, credentialsOf, isUpgrade } from "../../worker/edge/credentials.ts";
import { frameOrigins, frameParameter } from "../../worker/edge/frame-policy.ts";
import { hashOf, randomText, sameText, tag } from "../../worker/edge/mac.ts";
import { readSandboxId, looksLikeSandboxId, newSandboxId } from "../../worker/edge/sandbox-id.ts";
import {
  adminToken,
  isTokenOf,
  newUserToken,
  newViewToken,
  sandboxOfToken,
  tokenEndMs,
} from "../../worker/edge/tokens.ts";

const secret = "a secret of a test, 32 characters or more";
const nowMs = Date.UTC(2026, 0, 1);

describe("tags", () => {
  test("A1: another secret, purpose, text or character gives another tag, and equal input the same tag", async () => {
    const tags = await Promise.all([
      tag(secret, "id", "a", 20),
      tag(secret, "id", "b", 20),
      tag(secret, "view", "a", 20),
      tag("another secret", "id", "a", 20),
      // What separates purpose and text moves nothing from one to the other.
      tag(secret, "i", "d:a", 20),
    ]);
    expect(new Set(tags.slice(0, 4)).size).toBe(4);
    for (const computedTag of tags) expect(computedTag).toMatch(/^[a-z2-7]{20}$/);
    expect(await tag(secret, "id", "a", 20)).toBe(tags[0]);
  });

  test("A1: a shorter tag is a prefix of a longer one, and all characters are compared", async () => {
    const long = await tag(secret, "id", "a", 51);
    expect([long.length, await tag(secret, "id", "a", 10)]).toEqual([51, long.slice(0, 10)]);
    expect(new Set(long).size).toBeGreaterThan(15);
  });

  test("A1: thousands of texts have distinct tags, which are stable", async () => {
    const first = await tag(secret, "id", "0", 20);
    const all = await Promise.all(Array.from({ length: 2500 }, (_, at) => tag(secret, "id", String(at), 20)));
    expect(new Set(all).size).toBe(2500);
    expect(await tag(secret, "id", "0", 20)).toBe(first);
    expect(all[0]).toBe(first);
  });

  test.each([
    ["", "", true],
    ["abc", "abc", true],
    ["abc", "abd", false],
    ["xbc", "abc", false],
    ["abc", "ab", false],
    ["ab", "abc", false],
  ])("A1: %j and %j are equal: %s", (left, right, expected) => {
    expect(sameText(left, right)).toBe(expected);
  });

  test("A10: a hash is SHA-256 in hexadecimal, each byte as two digits", async () => {
    expect(await hashOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(await hashOf("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  test("A2: random text has the requested length and uses all letters and digits of its alphabet", () => {
    for (const length of [1, 16, 17, 31]) expect(randomText(length)).toMatch(new RegExp(`^[a-z2-7]{${length}}$`));
    const many = Array.from({ length: 200 }, () => randomText(16));
    expect([new Set(many).size, new Set(many.join("")).size]).toEqual([200, 32]);
  });
});

describe("credentials", () => {
  const credentials = (headers: Record<string, string>, source?: string, cf?: object) => {
    const request = new Request("http://host/", { headers });
    if (cf) Object.defineProperty(request, "cf", { value: cf });
    return credentialsOf(request, source);
  };
  const prefix = "base64url.bearer.authorization.k8s.io.";
  const asProtocol = (token: string) =>
    prefix + btoa(token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

  test.each([
    ["Bearer abc", "abc"],
    ["bearer abc", "abc"],
    ["  Bearer abc ", "abc"],
    ["Bearer abc def", "abc"],
    ["Bearer", undefined],
    ["Bearer  abc", undefined],
    ["Basic abc", undefined],
    ["abc", undefined],
    ["", undefined],
  ])("A1: the header %j contains the token %s", (authorization, token) => {
    expect(bearerOf(new Request("http://host/", { headers: { authorization } }))).toBe(token);
    const parsed = credentials({ authorization });
    expect([parsed?.token, parsed?.headers.get("authorization")]).toEqual([
      token,
      token === undefined ? null : `Bearer ${token}`,
    ]);
  });

  test("A7: a token among the subprotocols is decoded from base64url, with any bytes that a header may have", () => {
    const token = "a?b>c~d";
    const parsed = credentials({
      upgrade: "WebSocket",
      "sec-websocket-protocol": `v5.channel.k8s.io, ${asProtocol(token)},,other`,
    });
    expect([parsed?.token, parsed?.headers.get("authorization")]).toEqual([token, `Bearer ${token}`]);
    expect(parsed?.headers.get("sec-websocket-protocol")).toBe("v5.channel.k8s.io, other");
    expect(asProtocol(token)).toMatch(/[-_]/);
  });

  test("A7: the header has precedence, and a token among the subprotocols is never forwarded", () => {
    const protocols = { "sec-websocket-protocol": `x, ${asProtocol("two")}` };
    const both = credentials({ upgrade: "websocket", authorization: "Bearer one", ...protocols });
    expect([both?.token, both?.headers.get("sec-websocket-protocol")]).toEqual(["one", "x"]);
    const plain = credentials(protocols);
    expect([plain?.token, plain?.headers.get("sec-websocket-protocol")]).toEqual([undefined, "x"]);
    const alone = credentials({ authorization: "Bearer one", "sec-websocket-protocol": asProtocol("two") });
    expect([alone?.token, alone?.headers.has("sec-websocket-protocol")]).toEqual(["one", false]);
  });

  test.each([
    ["alone", asProtocol("a")],
    ["twice", `x, ${asProtocol("a")}, ${asProtocol("a")}`],
    ["empty", `x, ${prefix}`],
    ["no base64", `x, ${prefix}%%`],
    ["a line's end", `x, ${asProtocol("a\nb")}`],
    ["a blank", `x, ${asProtocol("a b")}`],
  ])("A1: a token among the subprotocols that is given %s is refused", (_, protocols) => {
    expect(credentials({ upgrade: "websocket", "sec-websocket-protocol": protocols })).toBeUndefined();
  });

  test("A7: the edge's own headers are removed from a client's request", () => {
    const parsed = credentials({ "sandbar-user": "root", "sandbar-client-certificate": "MIIB", accept: "a/b" }, "cf");
    expect([...(parsed?.headers.keys() ?? [])]).toEqual(["accept"]);
    expect(parsed?.certificate).toBeUndefined();
  });

  test.each([
    [":MIIB+/8=:", "MIIB+/8="],
    ["MIIB", "MIIB"],
    [" :MIIB==: ", "MIIB=="],
    ["::MIIB::", undefined],
    ["MI IB", undefined],
    ["MIIB===", undefined],
    ["", undefined],
    ["A".repeat(limits.clientCertificateCharacters), "A".repeat(limits.clientCertificateCharacters)],
    ["A".repeat(limits.clientCertificateCharacters + 1), undefined],
  ])("A8: the certificate %.20j… reaches the cluster as base64, or not at all", (certificateText, expected) => {
    const byProxy = credentials({ "x-certificate": certificateText }, "x-certificate");
    expect([byProxy?.certificate, byProxy?.headers.get("sandbar-client-certificate") ?? undefined]).toEqual([
      expected,
      expected,
    ]);
    const byPlatform = credentials({}, "cf", { tlsClientAuth: { certRFC9440: certificateText } });
    expect(byPlatform?.certificate).toBe(expected);
    expect(credentials({ "x-certificate": certificateText })?.certificate).toBeUndefined();
  });

  test("A8: a platform without certificates gives no certificate in any form", () => {
    for (const cf of [
      undefined,
      {},
      { tlsClientAuth: null },
      { tlsClientAuth: "x" },
      { tlsClientAuth: {} },
      { tlsClientAuth: { certRFC9440: 1 } },
    ])
      expect(credentials({ cf: "MIIB" }, "cf", cf)?.certificate).toBeUndefined();
  });

  test("A7: an upgrade is a WebSocket upgrade in any letter case", () => {
    const is = (upgrade?: string) => isUpgrade(new Request("http://host/", { headers: upgrade ? { upgrade } : {} }));
    expect([is("websocket"), is("WebSocket"), is("SPDY/3.1"), is()]).toEqual([true, true, false, false]);
  });
});

describe("addresses", () => {
  const address = (url: string, token?: string) =>
    sandboxAddress(new Request(url, { headers: token ? { authorization: `Bearer ${token}` } : {} }));

  test("A7: the path is forwarded without the sandbox, with its query; other paths belong to the service", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const at = (url: string) => {
      const parsedAddress = address(url);
      return parsedAddress && [parsedAddress.id, parsedAddress.url.pathname + parsedAddress.url.search];
    };
    expect(at(`http://host/c/${id}/api/v1?limit=1`)).toEqual([id, "/api/v1?limit=1"]);
    expect(at(`http://host/c/${id}`)).toEqual([id, "/"]);
    expect(at(`http://host/c/${id}/`)).toEqual([id, "/"]);
    expect([at("http://host/c"), at("http://host/c/")]).toEqual([
      ["", "/"],
      ["", "/"],
    ]);
    expect(at(`http://${id}.host.example/api`)).toEqual([id, "/api"]);
    for (const url of [
      `http://host/d/${id}/api`,
      `http://host/cc/${id}/api`,
      "http://host/",
      `http://${id}/api`,
      `http://x.${id}.host/`,
    ])
      expect(at(url)).toBeUndefined();
  });

  test("A1: a token that names a sandbox selects it for a path without one, if the name has the form of an id", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const named = (token: string) => address("http://host/readyz", token)?.id;
    expect(named(await adminToken(secret, id))).toBe(id);
    expect(named(await newUserToken(secret, id, nowMs))).toBe(id);
    expect(named(await newViewToken(secret, id, nowMs))).toBeUndefined();
    for (const token of [`sba_${id}a_x`, `sba_${id.slice(1)}_x`, "sba__x", `sbx_${id}_x`])
      expect(named(token)).toBeUndefined();
    expect([sandboxOfToken("sba_one_two_three"), sandboxOfToken("sbu_one"), sandboxOfToken("sbv_one_two")]).toEqual([
      "one",
      "one",
      undefined,
    ]);
  });

  test("A2: an id is recognised by length and letters, and its tag encodes whether anonymous access is allowed", async () => {
    const [closed, open] = [
      await newSandboxId(secret, { anonymousAccess: false }),
      await newSandboxId(secret, { anonymousAccess: true }),
    ];
    for (const id of [closed, open]) {
      expect([id.length, looksLikeSandboxId(id)]).toEqual([26, true]);
      for (const invalidId of [`${id}a`, `a${id}`, id.slice(1), id.toUpperCase(), `${id.slice(1)}1`]) {
        expect([looksLikeSandboxId(invalidId), await readSandboxId(secret, invalidId)]).toEqual([false, undefined]);
      }
    }
    expect([await readSandboxId(secret, closed), await readSandboxId(secret, open)]).toEqual([
      { anonymousAccess: false },
      { anonymousAccess: true },
    ]);
  });
});

describe("expiry of tokens", () => {
  test("A4: a token contains its expiry in whole seconds, or none", async () => {
    for (const make of [newViewToken, newUserToken]) {
      const token = await make(secret, "id", nowMs + 59_999);
      expect(tokenEndMs(token)).toBe(nowMs + 59_000);
      expect(await isTokenOf(secret, "id", token, nowMs + 58_999)).toBe(true);
      expect(await isTokenOf(secret, "id", token, nowMs + 59_000)).toBe(false);
    }
    expect([tokenEndMs(await adminToken(secret, "id")), tokenEndMs("a.b.c")]).toEqual([
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
  });

  test("A1: all tokens are distinct, except an administrator's token, which can be derived again", async () => {
    for (const make of [newViewToken, newUserToken])
      expect(await make(secret, "id", nowMs)).not.toBe(await make(secret, "id", nowMs));
    expect(await adminToken(secret, "id")).toBe(await adminToken(secret, "id"));
    expect(await adminToken(secret, "id")).toMatch(/^sba_id_[a-z2-7]{51}$/);
    expect(await newUserToken(secret, "id", nowMs)).toMatch(/^sbu_id_[0-9a-z]+_[a-z2-7]{16}_[a-z2-7]{20}$/);
  });

  test.each([
    ["eyJh.eyJp.c2ln", true],
    ["a-b_c.d.e", true],
    ["a.b", false],
    ["a.b.c.d", false],
    ["a..c", false],
    ["abcdef.0123456789abcdef", true],
    ["abcde.0123456789abcdef", false],
    ["abcdef.0123456789abcdefg", false],
    ["", false],
  ])("A8: the form of %j decides whether it may be a token of the cluster: %s", async (token, expected) => {
    expect(await isTokenOf(secret, "id", token, nowMs)).toBe(expected);
  });
});

test("A4: the origins that may frame a view are encoded with all their bytes, and an empty list stays empty", async () => {
  for (const origins of [["https://a.b"], ["https://a.b", "https://c.d:1"], ["https://>>>.???"], []]) {
    const parameter = await frameParameter(secret, "one", origins);
    expect(parameter).toMatch(/^[\w-]*\.[a-z2-7]{20}$/);
    expect(await frameOrigins(secret, "one", parameter)).toEqual(origins);
    expect(await frameOrigins("another secret", "one", parameter)).toEqual([]);
  }
});
