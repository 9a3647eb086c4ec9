// The keys of the tool. Each tenant has its own, a new one every three months, published a day before it signs.
// With one key for all tenants, a person who knows another tenant's client id could impersonate the tool towards that tenant's platform.
import type { JWK } from "jose";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { newToolKey, type ToolKey } from "../../lti/tool-key.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import type { LtiKeyRow } from "../db/lti-tables.ts";

type Keeper = Pick<ControlApiServer, "lti" | "secret" | "nowMs">;

/** Returns the newest key that platforms have had time to fetch, or the only one. */
export async function signingKey(keeper: Keeper, tenantId: string): Promise<ToolKey> {
  const keys = await currentKeys(keeper, tenantId);
  const publishedKey = keys.find(({ createdAtMs }) => createdAtMs <= keeper.nowMs() - ltiLimits.toolKeyNewMs);
  const key = publishedKey ?? keys.at(-1);
  if (!key) throw new Error("no key of the tool was stored");
  return { kid: key.kid, sealed: key.sealed };
}

/** Returns the keys for verification by platforms. Returns undefined if the tenant does not exist. */
export async function publicKeys(
  keeper: Keeper & Pick<ControlApiServer, "plans">,
  tenantId: string,
): Promise<{ readonly keys: readonly JWK[] } | undefined> {
  // Check the tenant before creating a key, which is expensive, because the request is anonymous.
  if (!(await keeper.plans.tenant(tenantId))) return undefined;
  return { keys: (await currentKeys(keeper, tenantId)).map(({ publicJwk }) => publicJwk) };
}

/** Adds a new key for each tenant whose newest key is old. */
export async function rotateKeys(keeper: Keeper): Promise<void> {
  const beforeMs = keeper.nowMs() - ltiLimits.toolKeySignsMs;
  for (const tenantId of await keeper.lti.tenantsWithOldKeys(beforeMs, ltiLimits.tenantsPerRotation)) {
    await currentKeys(keeper, tenantId);
  }
}

async function currentKeys({ lti, secret, nowMs }: Keeper, tenantId: string): Promise<LtiKeyRow[]> {
  const keys = await lti.toolKeys(tenantId);
  const sinceMs = nowMs() - ltiLimits.toolKeySignsMs;
  if ((keys[0]?.createdAtMs ?? Number.NEGATIVE_INFINITY) > sinceMs) return keys;
  const { kid, sealed, publicJwk } = await newToolKey(secret);
  await lti.addToolKey({ kid, tenantId, sealed, publicJwk, createdAtMs: nowMs() }, sinceMs);
  return lti.toolKeys(tenantId);
}
