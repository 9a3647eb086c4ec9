// Which key the tool signs with, and which it tells platforms: a new one every three months, told a day before it signs.
import type { JWK } from "jose";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { newToolKey, type ToolKey } from "../../lti/tool-key.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import type { LtiKeyRow } from "../db/lti-tables.ts";

type Keeper = Pick<ControlApiServer, "lti" | "secret" | "nowMs">;

/** The newest that platforms have had the time to see, or the only one. */
export async function signingKey(keeper: Keeper): Promise<ToolKey> {
  const keys = await currentKeys(keeper);
  const seen = keys.find(({ createdAtMs }) => createdAtMs <= keeper.nowMs() - ltiLimits.keyNewMs);
  const key = seen ?? keys.at(-1);
  if (!key) throw new Error("no key of the tool was stored");
  return { kid: key.kid, sealed: key.sealed };
}

/** What platforms check signatures with. */
export async function publicKeys(keeper: Keeper): Promise<{ readonly keys: readonly JWK[] }> {
  return { keys: (await currentKeys(keeper)).map(({ publicJwk }) => publicJwk) };
}

/** Where there are keys, one that is old is followed by another. */
export async function rotateKeys(keeper: Keeper): Promise<void> {
  if ((await keeper.lti.toolKeys()).length > 0) await currentKeys(keeper);
}

async function currentKeys({ lti, secret, nowMs }: Keeper): Promise<LtiKeyRow[]> {
  const keys = await lti.toolKeys();
  const sinceMs = nowMs() - ltiLimits.keySignsMs;
  if ((keys[0]?.createdAtMs ?? Number.NEGATIVE_INFINITY) > sinceMs) return keys;
  const { kid, sealed, publicJwk } = await newToolKey(secret);
  await lti.addToolKey({ kid, sealed, publicJwk, createdAtMs: nowMs() }, sinceMs);
  return lti.toolKeys();
}
