// The edge's cache of verified ids and tokens.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { verifySandboxToken, verifySandboxId } from "../../worker/edge/verified-credentials.ts";
import { newSandboxId } from "../../worker/edge/sandbox-id.ts";
import { adminToken, newUserToken } from "../../worker/edge/tokens.ts";

const secret = "a secret of a test, 32 characters or more";
const nowMs = Date.UTC(2026, 0, 1);
const newId = () => newSandboxId(secret, { anonymousAccess: false });

test("A1: a verified token is accepted from the cache until it expires, and not later", async () => {
  const id = await newId();
  const token = await newUserToken(secret, id, nowMs + 60_000);
  expect(await verifySandboxToken(secret, id, token, nowMs)).toBe(true);
  // Known now, and said at once.
  expect(verifySandboxToken(secret, id, token, nowMs + 59_999)).toBe(true);
  expect(await verifySandboxToken(secret, id, token, nowMs + 60_000)).toBe(false);
  expect(await verifySandboxToken(secret, id, token, nowMs + 60_001)).toBe(false);
});

test("A1: a token that is cached for one sandbox or secret is unknown for all others", async () => {
  const [id, otherId] = [await newId(), await newId()];
  const token = await adminToken(secret, id);
  expect(await verifySandboxToken(secret, id, token, nowMs)).toBe(true);
  expect(await verifySandboxToken(secret, otherId, token, nowMs)).toBe(false);
  expect(await verifySandboxToken("another secret of a test, as long", id, token, nowMs)).toBe(false);
  expect(await verifySandboxToken(secret, id, `${token}a`, nowMs)).toBe(false);
});

test("A2: a verified id is cached, and an invented id never", async () => {
  const id = await newId();
  expect(await verifySandboxId(secret, id)).toEqual({ anonymousAccess: false });
  expect(verifySandboxId(secret, id)).toEqual({ anonymousAccess: false });
  const invented = id.startsWith("a") ? `b${id.slice(1)}` : `a${id.slice(1)}`;
  expect(await verifySandboxId(secret, invented)).toBeUndefined();
  expect(verifySandboxId(secret, invented)).toBeInstanceOf(Promise);
});

test("A1: the cache is bounded", async () => {
  const id = await newId();
  const token = await adminToken(secret, id);
  await verifySandboxToken(secret, id, token, nowMs);
  const foreign = (at: number) => `a${at}.b.c`;
  for (let at = 0; at < limits.keptAdmissions; at++) await verifySandboxToken(secret, id, foreign(at), nowMs);
  expect(verifySandboxToken(secret, id, token, nowMs)).toBeInstanceOf(Promise);
  const long = `a.b.${"c".repeat(limits.keptTokenCharacters)}`;
  expect(await verifySandboxToken(secret, id, long, nowMs)).toBe(true);
  expect(verifySandboxToken(secret, id, long, nowMs)).toBeInstanceOf(Promise);
});
