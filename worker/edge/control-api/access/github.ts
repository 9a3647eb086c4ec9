// Sign-in with GitHub: the redirect to GitHub and the callback.
import { CodeChallengeMethod, generateCodeVerifier, OAuth2Client } from "arctic";
import * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import { randomText, sameText } from "../../mac.ts";
import { seal, unseal } from "../../sealed.ts";
import type { ControlApiServer, GithubSettings } from "../server.ts";
import { within } from "../../within.ts";
import { type CookieShape, dropCookie, readCookie, setCookie } from "./cookies.ts";

type Service = Pick<ControlApiServer, "secret" | "console" | "nowMs">;

/** The state that the browser keeps during the redirect. It is sealed, so only this service can write it. */
interface SignInState {
  readonly state: string;
  readonly verifier: string;
  /** The code of an invitation, or empty. */
  readonly invitation: string;
  readonly untilMs: number;
}

export interface GithubAccount {
  readonly id: string;
  readonly login: string;
  readonly name: string;
}

const path = "/v1/sign-in/github";
/** `Lax`, because the callback is a navigation from GitHub's site. */
const cookie: CookieShape = { name: "sandbar-oauth", path, sameSite: "Lax", maxAgeSeconds: limits.signInMs / 1000 };
const context = "sign-in by GitHub";

/** Redirects the browser to GitHub. */
export async function toGithub(service: Service, settings: GithubSettings, invitation: string): Promise<Response> {
  const { secret, console, nowMs } = service;
  const signInState = {
    state: randomText(51),
    verifier: generateCodeVerifier(),
    invitation,
    untilMs: nowMs() + limits.signInMs,
  };
  const { state, verifier } = signInState;
  const authorize = `${settings.url}/login/oauth/authorize`;
  const to = clientOf(service, settings).createAuthorizationURLWithPKCE(
    authorize,
    state,
    CodeChallengeMethod.S256,
    verifier,
    // The public profile needs no OAuth scope.
    [],
  );
  const sealedState = await seal(secret, context, JSON.stringify(signInState satisfies SignInState));
  return new Response(null, {
    status: 302,
    headers: { location: to.href, "set-cookie": setCookie(console, cookie, sealedState) },
  });
}

/**
 * Returns the GitHub account and the invitation. Returns undefined if this browser did not start the sign-in, or if GitHub does not
 * identify the account.
 */
export async function fromGithub(
  service: Service,
  settings: GithubSettings,
  { code, state }: { readonly code?: string | undefined; readonly state?: string | undefined },
  headers: Headers,
): Promise<{ readonly account: GithubAccount; readonly invitation: string } | undefined> {
  const signInState = await readUnderway(service, headers);
  if (!signInState || code === undefined || state === undefined || !sameText(state, signInState.state))
    return undefined;
  // The OAuth library has no timeout.
  const accountRequest = within(limits.oauthWaitMs, accountOf(service, settings, code, signInState.verifier));
  const account = await accountRequest.catch(() => undefined);
  return account && { account, invitation: signInState.invitation };
}

/** Returns the `Set-Cookie` header that clears the sign-in state. */
export function clearSignInState({ console }: Pick<Service, "console">): string {
  return dropCookie(console, cookie);
}

async function readUnderway({ secret, console, nowMs }: Service, headers: Headers): Promise<SignInState | undefined> {
  const sealedState = readCookie(console, cookie, headers);
  if (sealedState === undefined) return undefined;
  try {
    // `toGithub` wrote the state.
    const signInState = JSON.parse(await unseal(secret, context, sealedState)) as SignInState;
    return signInState.untilMs > nowMs() ? signInState : undefined;
  } catch {
    return undefined;
  }
}

const profile = z.object({ id: z.int(), login: z.string().max(100), name: z.string().nullish() });

async function accountOf(service: Service, settings: GithubSettings, code: string, verifier: string) {
  const client = clientOf(service, settings);
  const tokens = await client.validateAuthorizationCode(`${settings.url}/login/oauth/access_token`, code, verifier);
  const answer = await fetch(`${settings.api}/user`, {
    headers: {
      authorization: `Bearer ${tokens.accessToken()}`,
      accept: "application/vnd.github+json",
      "user-agent": "sandbar",
    },
    signal: AbortSignal.timeout(limits.oauthWaitMs),
  });
  if (!answer.ok) return undefined;
  const { id, login, name } = profile.parse(await answer.json());
  return { id: String(id), login, name: visible(name ?? "") || visible(login) || "somebody" };
}

/** Removes control characters, so that a name fits on one line. */
export function visible(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, limits.titleCharacters);
}

function clientOf({ console }: Pick<Service, "console">, { clientId, clientSecret }: GithubSettings): OAuth2Client {
  return new OAuth2Client(clientId, clientSecret, `${console}${path}/callback`);
}
