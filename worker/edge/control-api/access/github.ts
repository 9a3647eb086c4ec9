// Signing in by GitHub: where the browser is sent, and who it is that comes back.
import { CodeChallengeMethod, generateCodeVerifier, OAuth2Client } from "arctic";
import { z } from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import { randomText, sameText } from "../../mac.ts";
import { seal, unseal } from "../../sealed.ts";
import type { ControlApiServer, GithubSettings } from "../server.ts";
import { within } from "../../within.ts";
import { type CookieShape, dropCookie, readCookie, setCookie } from "./cookies.ts";

type Service = Pick<ControlApiServer, "secret" | "console" | "nowMs">;

/** What the browser keeps until it comes back; sealed, so that it is what this service wrote. */
interface Underway {
  readonly state: string;
  readonly verifier: string;
  /** The code of an invitation; empty: none. */
  readonly invitation: string;
  readonly untilMs: number;
}

export interface GithubAccount {
  readonly id: string;
  readonly login: string;
  readonly name: string;
}

const path = "/v1/sign-in/github";
/** Sent along when GitHub sends the browser back, which is another site. */
const cookie: CookieShape = { name: "sandbar-oauth", path, sameSite: "Lax", maxAgeSeconds: limits.signInMs / 1000 };
const context = "sign-in by GitHub";

/** Sends the browser to GitHub. */
export async function toGithub(service: Service, settings: GithubSettings, invitation: string): Promise<Response> {
  const { secret, console, nowMs } = service;
  const underway = {
    state: randomText(51),
    verifier: generateCodeVerifier(),
    invitation,
    untilMs: nowMs() + limits.signInMs,
  };
  const { state, verifier } = underway;
  const authorize = `${settings.url}/login/oauth/authorize`;
  const to = clientOf(service, settings).createAuthorizationURLWithPKCE(
    authorize,
    state,
    CodeChallengeMethod.S256,
    verifier,
    // The public profile needs none.
    [],
  );
  const kept = await seal(secret, context, JSON.stringify(underway satisfies Underway));
  return new Response(null, {
    status: 302,
    headers: { location: to.href, "set-cookie": setCookie(console, cookie, kept) },
  });
}

/** Who came back, and with which invitation; nothing where this browser was not sent, or GitHub does not say who it is. */
export async function fromGithub(
  service: Service,
  settings: GithubSettings,
  { code, state }: { readonly code?: string | undefined; readonly state?: string | undefined },
  headers: Headers,
): Promise<{ readonly account: GithubAccount; readonly invitation: string } | undefined> {
  const underway = await readUnderway(service, headers);
  if (!underway || code === undefined || state === undefined || !sameText(state, underway.state)) return undefined;
  // The library waits as long as it takes.
  const asked = within(limits.oauthWaitMs, accountOf(service, settings, code, underway.verifier));
  const account = await asked.catch(() => undefined);
  return account && { account, invitation: underway.invitation };
}

/** The value of `Set-Cookie` that takes away what was kept. */
export function noLongerUnderway({ console }: Pick<Service, "console">): string {
  return dropCookie(console, cookie);
}

async function readUnderway({ secret, console, nowMs }: Service, headers: Headers): Promise<Underway | undefined> {
  const kept = readCookie(console, cookie, headers);
  if (kept === undefined) return undefined;
  try {
    // As `toGithub` wrote it.
    const underway = JSON.parse(await unseal(secret, context, kept)) as Underway;
    return underway.untilMs > nowMs() ? underway : undefined;
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

/** A line, as people's names are kept. */
function visible(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, limits.titleCharacters);
}

function clientOf({ console }: Pick<Service, "console">, { clientId, clientSecret }: GithubSettings): OAuth2Client {
  return new OAuth2Client(clientId, clientSecret, `${console}${path}/callback`);
}
