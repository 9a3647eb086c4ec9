// Requests of the page about single sign-on to the control API.
import type { PutSso, ShownSso } from "../../../shared/contract/hosted/identity.ts";
import { scimBase } from "../../../shared/contract/hosted/scim.ts";
import type { Key } from "../../../shared/contract/key.ts";
import type { Scope } from "../../../shared/contract/scope.ts";
import { type Control, sending } from "../../api/control.ts";
import { ControlFailure } from "../../api/control-failure.ts";

export const ssoPath = "/v1/tenant/sso";

/** The scopes of a SCIM token. */
export const scimScopes: readonly Scope[] = ["members:read", "members:write"];

/** Returns undefined if the organisation has no provider. */
export async function readSso({ ask }: Control): Promise<ShownSso | undefined> {
  try {
    return (await (await ask(ssoPath)).json()) as ShownSso;
  } catch (error) {
    if (error instanceof ControlFailure && error.status === 404) return undefined;
    throw error;
  }
}

export async function saveSso({ ask }: Control, input: PutSso): Promise<void> {
  await ask(ssoPath, sending("PUT", input));
}

export async function endSso({ ask }: Control): Promise<void> {
  await ask(ssoPath, { method: "DELETE" });
}

/** Returns the keys with which a provider can provision people, and which can do nothing else. */
export function scimTokens(keys: readonly Key[]): readonly Key[] {
  return keys.filter(
    ({ scopes }) => scopes.length === scimScopes.length && scimScopes.every((scope) => scopes.includes(scope)),
  );
}

/** The addresses that a provider needs, before there is one. */
export const usualAddresses = {
  redirectUri: `${location.origin}/v1/sign-in/sso/callback`,
  scimUrl: `${location.origin}${scimBase}`,
};
