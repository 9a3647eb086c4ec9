// An organisation's provider of OpenID Connect, as its owners set it.
import type * as z from "zod";
import type { putSso, ShownSso } from "../../../../../shared/contract/hosted/identity.ts";
import { scopesOfRole } from "../../../../../shared/contract/scope.ts";
import { askingPlatforms } from "../../../../lti/ask.ts";
import type { SsoRow } from "../../../db/identity-tables.ts";
import { seal, unseal } from "../../../sealed.ts";
import { invalidField } from "../../body.ts";
import { ControlError } from "../../control-error.ts";
import type { ControlApiServer } from "../../server.ts";
import { type Caller, requireAll } from "../caller.ts";
import { type Client, type Provider, ProviderError, readMetadata } from "./provider.ts";

const path = "/v1/sign-in/sso";

/** The context of the sealed secret. It names the tenant, so that no other tenant's row opens it. */
function contextOf(tenantId: string): string {
  return `client secret of ${tenantId}`;
}

export function providerOf({ localService, nowMs }: Pick<ControlApiServer, "localService" | "nowMs">): Provider {
  return { ask: askingPlatforms(localService), mayBePrivate: localService !== undefined, nowMs };
}

export async function clientOf({ secret, console }: ControlApiServer, row: SsoRow): Promise<Client> {
  const { issuer, clientId, sealedSecret, tenantId } = row;
  const clientSecret = sealedSecret === "" ? "" : await unseal(secret, contextOf(tenantId), sealedSecret);
  return { issuer, clientId, clientSecret, redirectUri: `${console}${path}/callback` };
}

export async function getSso(controlApi: ControlApiServer, tenantId: string): Promise<ShownSso> {
  const row = await controlApi.identity.sso(tenantId);
  if (!row) throw noSso();
  return describe(controlApi, row);
}

/** Stores the provider after reading its metadata, so that a wrong address is reported here and not to a person who signs in. */
export async function setSso(
  controlApi: ControlApiServer,
  caller: Caller,
  { clientSecret, groupRoles, ...settings }: z.output<typeof putSso>,
): Promise<ShownSso> {
  const { tenantId } = caller;
  for (const role of [settings.role, ...Object.values(groupRoles)]) requireAll(caller, scopesOfRole(role));
  const before = await controlApi.identity.sso(tenantId);
  try {
    await readMetadata(providerOf(controlApi), settings.issuer);
  } catch (error) {
    if (error instanceof ProviderError) throw invalidField("issuer", error.message);
    throw error;
  }
  const isSameClient = before?.issuer === settings.issuer && before.clientId === settings.clientId;
  const storedSecret = isSameClient ? before.sealedSecret : "";
  const sealedSecret =
    clientSecret === undefined ? storedSecret : await seal(controlApi.secret, contextOf(tenantId), clientSecret);
  const byKey = Object.entries(groupRoles).map(([name, role]) => [name.toLowerCase(), role] as const);
  const row = { ...settings, tenantId, sealedSecret, groupRoles: Object.fromEntries(byKey) };
  await controlApi.identity.setSso(row);
  controlApi.callerCache.clear();
  return describe(controlApi, row);
}

export async function removeSso(controlApi: ControlApiServer, tenantId: string): Promise<void> {
  if (!(await controlApi.identity.removeSso(tenantId))) throw noSso();
}

export function noSso(): ControlError {
  return new ControlError(404, "not_found", "the organisation has no single sign-on");
}

function describe({ console }: ControlApiServer, row: SsoRow): ShownSso {
  const { tenantId, issuer, clientId, sealedSecret, role, joins, domains, groupRoles } = row;
  return {
    issuer,
    clientId,
    hasClientSecret: sealedSecret !== "",
    ...{ role, joins, domains, groupRoles },
    redirectUri: `${console}${path}/callback`,
    signInUrl: `${console}${path}?tenant=${encodeURIComponent(tenantId)}`,
    scimUrl: `${console}/v1/scim/v2`,
  };
}
