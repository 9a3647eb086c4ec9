// Additional tokens of a sandbox: created for a viewer or for any user, listed and revoked.
import type * as z from "zod";
import { type StoredToken, tokenIdLength } from "../../../shared/contract/cluster-object.ts";
import type { TokenList, UserToken, ViewToken, createToken } from "../../../shared/contract/token.ts";
import { audited } from "./access/audit.ts";
import { ControlError } from "./control-error.ts";
import { frameParameter } from "../frame-policy.ts";
import { hashOf } from "../mac.ts";
import { expiredError, livingRow, requireFreeSpace } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { newUserToken, newViewToken } from "../tokens.ts";

type Wanted = z.output<typeof createToken>;

export async function makeViewToken(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { ttlSeconds, frameOrigins }: Wanted,
): Promise<ViewToken> {
  const { secret } = controlApi;
  const expiresAtMs = await endMs(controlApi, tenantId, id, ttlSeconds);
  const token = await newViewToken(secret, id, expiresAtMs);
  const groups = ["sandbar:viewers", "system:authenticated"];
  const hash = await storeToken(controlApi, id, token, {
    user: "sandbar:viewer",
    groups,
    expiresAtMs,
    readOnly: true,
    frameOrigins,
  });
  const frame = frameOrigins.length > 0 ? `?frame=${await frameParameter(secret, id, frameOrigins)}` : "";
  const url = `${controlApi.console}/view/${id}${frame}#${token}`;
  return { id: idOf(hash), token, readOnly: true, expiresAt: new Date(expiresAtMs).toISOString(), frameOrigins, url };
}

export async function makeUserToken(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { ttlSeconds, user, groups }: Wanted & { user: string },
): Promise<UserToken> {
  const expiresAtMs = await endMs(controlApi, tenantId, id, ttlSeconds);
  const token = await newUserToken(controlApi.secret, id, expiresAtMs);
  const hash = await storeToken(controlApi, id, token, {
    user,
    groups,
    expiresAtMs,
    readOnly: false,
    frameOrigins: [],
  });
  return { id: idOf(hash), user, groups, readOnly: false, expiresAt: new Date(expiresAtMs).toISOString(), token };
}

export async function listTokens(controlApi: ControlApiServer, tenantId: string, id: string): Promise<TokenList> {
  const row = await livingRow(controlApi, tenantId, id);
  // The sandbox's expiry may have moved closer since the token was created.
  const ending = (token: StoredToken) => ({ ...token, expiresAtMs: Math.min(token.expiresAtMs ?? 0, row.expiresAtMs) });
  const tokens = (await controlApi.cluster(id).listTokens()).filter(({ expiresAtMs }) => expiresAtMs !== undefined);
  return { tokens: tokens.map(ending).map(describe) };
}

export async function revokeToken(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  tokenId: string,
): Promise<void> {
  await livingRow(controlApi, tenantId, id);
  await audited(controlApi, id, async () => {
    const isGone = await controlApi.cluster(id).removeToken(tokenId);
    if (!isGone) throw new ControlError(404, "not_found", "the sandbox has no such token");
  });
}

/** Rounds down to seconds, the unit of the token's expiry. */
async function endMs(controlApi: ControlApiServer, tenantId: string, id: string, ttlSeconds: number): Promise<number> {
  const row = await livingRow(controlApi, tenantId, id);
  return Math.floor(Math.min(controlApi.nowMs() + ttlSeconds * 1000, row.expiresAtMs) / 1000) * 1000;
}

/** Returns the token's hash. */
export async function storeToken(
  controlApi: ControlApiServer,
  id: string,
  token: string,
  of: Omit<StoredToken, "id">,
): Promise<string> {
  await requireFreeSpace(controlApi);
  const hash = await hashOf(token);
  return audited(controlApi, id, async () => {
    const added = await controlApi.cluster(id).addToken({ ...of, hash });
    if (added === "added") return hash;
    if (added === "gone") throw expiredError();
    throw new ControlError(409, "too_many_tokens", "the sandbox has as many tokens as it may: revoke some");
  });
}

function idOf(hash: string): string {
  return hash.slice(0, tokenIdLength);
}

function describe({ id, user, groups, readOnly, expiresAtMs, frameOrigins }: StoredToken & { expiresAtMs: number }) {
  return { id, user, groups, readOnly, expiresAt: new Date(expiresAtMs).toISOString(), frameOrigins };
}
