// Which key the tool signs with, and which it tells platforms: each tenant has its own, a new one every three months, told a day before it
// signs. With one key for all, who knows another tenant's client id could have the tool speak to that tenant's platform.
import type { JWK } from "jose";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { newToolKey, type ToolKey } from "../../lti/tool-key.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import type { LtiKeyRow } from "../db/lti-tables.ts";

type Keeper = Pick<ControlApiServer, "lti" | "secret" | "nowMs">;

/** The newest that the tenant's platforms have had the time to see, or the only one. */
export async function signingKey(keeper: Keeper, tenantId: string): Promise<ToolKey> {
  const keys = await currentKeys(keeper, tenantId);
  const seen = keys.find(({ createdAtMs }) => createdAtMs <= keeper.nowMs() - ltiLimits.keyNewMs);
  const key = seen ?? keys.at(-1);
  if (!key) throw new Error("no key of the tool was stored");
  return { kid: key.kid, sealed: key.sealed };
}

/** What a tenant's platforms check signatures with; undefined where there is no such tenant. */
export async function publicKeys(
  keeper: Keeper & Pick<ControlApiServer, "plans">,
  tenantId: string,
): Promise<{ readonly keys: readonly JWK[] } | undefined> {
  // Before a key is made, which takes processor time: strangers ask this.
  if (!(await keeper.plans.tenant(tenantId))) return undefined;
  return { keys: (await currentKeys(keeper, tenantId)).map(({ publicJwk }) => publicJwk) };
}

/** Where a tenant has keys, one that is old is followed by another. */
export async function rotateKeys(keeper: Keeper): Promise<void> {
  const beforeMs = keeper.nowMs() - ltiLimits.keySignsMs;
  for (const tenantId of await keeper.lti.tenantsWithOldKeys(beforeMs, ltiLimits.keysRotated)) {
    await currentKeys(keeper, tenantId);
  }
}

async function currentKeys({ lti, secret, nowMs }: Keeper, tenantId: string): Promise<LtiKeyRow[]> {
  const keys = await lti.toolKeys(tenantId);
  const sinceMs = nowMs() - ltiLimits.keySignsMs;
  if ((keys[0]?.createdAtMs ?? Number.NEGATIVE_INFINITY) > sinceMs) return keys;
  const { kid, sealed, publicJwk } = await newToolKey(secret);
  await lti.addToolKey({ kid, tenantId, sealed, publicJwk, createdAtMs: nowMs() }, sinceMs);
  return lti.toolKeys(tenantId);
}
