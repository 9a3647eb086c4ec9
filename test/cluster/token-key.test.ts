// The key of a cluster and its cache of verified tokens.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { tokenKey } from "../../worker/cluster/token-key.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

function newKey() {
  const sql = nodeSql();
  createTables(sql);
  return tokenKey(sql);
}

test("A8: a verified token is verified again from the cache; a changed token, and a token of another cluster, are refused", () => {
  const [key, otherTokenKey] = [newKey(), newKey()];
  const token = key.sign({ sub: "ada" });
  expect([key.verify(token), key.verify(token)]).toEqual([{ sub: "ada" }, { sub: "ada" }]);
  const [header = "", , signature = ""] = token.split(".");
  const forged = [header, Buffer.from('{"sub":"eve"}').toString("base64url"), signature].join(".");
  expect([key.verify(forged), key.verify(`${token}a`), otherTokenKey.verify(token)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("A8: the cached tokens are bounded in number and length", () => {
  const key = newKey();
  const first = key.sign({ sub: "ada" });
  const verified = key.verify(first);
  expect(key.verify(first)).toBe(verified);
  for (let at = 0; at < limits.keptSignatures; at++) key.verify(key.sign({ at }));
  expect(key.verify(first)).not.toBe(verified);
  const long = key.sign({ sub: "a".repeat(limits.keptTokenCharacters) });
  expect(key.verify(long)).not.toBe(key.verify(long));
});
