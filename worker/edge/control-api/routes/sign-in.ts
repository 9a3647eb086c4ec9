// Routes of sign-in and joining. The caller has no session yet; the responses set the session cookie.
import {
  githubCallback,
  githubQuery,
  join,
  joinOptions as joinOptionsBody,
  linkSignedIn,
  linkSignIn,
  me,
  passkeyOptions,
  passkeySignIn,
  signInWays,
} from "../../../../shared/contract/sign-in.ts";
import { signInLinkPath } from "../../../../shared/contract/tunnel.ts";
import { authenticate } from "../access/authenticate.ts";
import { callerOfSession } from "../access/caller.ts";
import { requireOwnPage } from "../access/cookies.ts";
import { fromGithub, clearSignInState, toGithub } from "../access/github.ts";
import { signingOptions } from "../access/passkeys.ts";
import { joinByPasskey, joinOptions, signInByGithub, signInByPasskey, describeCaller } from "../access/people.ts";
import type { NewSession } from "../access/sessions.ts";
import { json } from "../answers.ts";
import { ControlError } from "../control-error.ts";
import { type RouteRequest, type RouteCall, route } from "../route.ts";

export const signInRoutes = [
  route({
    method: "GET",
    path: "/v1/sign-in",
    id: "getSignIn",
    access: { kind: "public" },
    summary: "Returns the ways to sign in besides keys and passkeys, and whether the caller is signed in.",
    answer: { status: 200, json: signInWays },
    handle: async ({ controlApi, headers }) => {
      const { github, signUp } = controlApi.signIn;
      const trial = controlApi.trialDifficulty !== undefined;
      return json({ github: github !== undefined, signUp, trial, signedIn: await isSignedIn(controlApi, headers) });
    },
  }),
  route({
    method: "GET",
    path: "/v1/sign-in/github",
    id: "signInByGithub",
    access: { kind: "public" },
    summary: "Redirects the browser to GitHub, which returns it signed in.",
    query: githubQuery,
    answer: { status: 302 },
    errors: ["not_found", "cross_origin"],
    handle: async ({ controlApi, query, headers }) => {
      const { github } = controlApi.signIn;
      // Another site's page must not make a person join an organization.
      if (query.invitation !== undefined) requireOwnPage(controlApi.console, headers);
      if (!github) throw new ControlError(404, "not_found", "this service has no sign-in with GitHub");
      return toGithub(controlApi, github, query.invitation ?? "");
    },
  }),
  route({
    method: "GET",
    path: "/v1/sign-in/github/callback",
    id: "returnFromGithub",
    access: { kind: "public" },
    summary: "Signs in a browser that returns from GitHub, and redirects it to the console.",
    query: githubCallback,
    answer: { status: 302 },
    handle: handleGithubCallback,
  }),
  route({
    method: "POST",
    path: "/v1/sign-in/passkey/options",
    id: "signInOptions",
    summary: "Returns WebAuthn options for signing in with a passkey.",
    access: { kind: "own-page" },
    answer: { status: 200, json: passkeyOptions },
    handle: async ({ controlApi }) => json(await signingOptions(controlApi)),
  }),
  route({
    method: "POST",
    path: "/v1/sign-in/passkey",
    id: "signInByPasskey",
    summary: "Signs in with the signature of a passkey.",
    access: { kind: "own-page" },
    body: passkeySignIn,
    answer: { status: 201, json: me },
    errors: ["sign_in_failed", "too_many_failures"],
    handle: async (call) =>
      sessionAnswer(call, await signInByPasskey(call.controlApi, call.headers, call.body.passkey)),
  }),
  route({
    method: "POST",
    path: "/v1/sign-in/link",
    id: "signInByLink",
    summary:
      "Exchanges the sign-in link that a local service printed at its start for its API key. A link works once, within ten minutes.",
    access: { kind: "own-page" },
    body: linkSignIn,
    answer: { status: 200, json: linkSignedIn },
    errors: ["sign_in_failed", "too_many_failures", "not_found"],
    handle: async ({ controlApi, body }) => json({ key: await keyOfLink(controlApi, body.link) }),
  }),
  route({
    method: "POST",
    path: "/v1/join/options",
    id: "joinOptions",
    summary: "Returns WebAuthn options for creating the passkey of an invited person.",
    access: { kind: "own-page" },
    body: joinOptionsBody,
    answer: { status: 200, json: passkeyOptions },
    errors: ["not_found", "invitation_used", "too_many_failures", "too_many_members"],
    handle: async ({ controlApi, body }) => json(await joinOptions(controlApi, body.invitation, body.name)),
  }),
  route({
    method: "POST",
    path: "/v1/join",
    id: "join",
    summary: "Accepts an invitation as a new person, who signs in with the passkey from then on.",
    access: { kind: "own-page" },
    body: join,
    answer: { status: 201, json: me },
    errors: ["not_found", "invitation_used", "too_many_failures", "too_many_members", "invalid_passkey"],
    handle: async (call) => sessionAnswer(call, await joinByPasskey(call.controlApi, call.headers, call.body)),
  }),
];

async function keyOfLink({ localService }: RouteRequest["controlApi"], link: string): Promise<string> {
  if (!localService) throw new ControlError(404, "not_found", "this service has no sign-in links");
  const answer = await localService.fetch(`http://node${signInLinkPath}`, { method: "POST", body: link });
  const text = await answer.text();
  if (answer.ok) return text;
  throw new ControlError(
    401,
    "sign_in_failed",
    "the link has been used, or is too old: sign in with the key, or start the service again",
    undefined,
    // A link has no credential by which failures could be counted: they count by the caller's address.
    { credential: "" },
  );
}

async function isSignedIn(controlApi: RouteRequest["controlApi"], headers: Headers): Promise<boolean> {
  try {
    await authenticate(controlApi, { method: "GET", headers });
    return true;
  } catch (error) {
    if (error instanceof ControlError && error.status === 401) return false;
    throw error;
  }
}

async function sessionAnswer(
  { controlApi }: Pick<RouteRequest, "controlApi">,
  { row, cookie }: NewSession,
): Promise<Response> {
  const session = await controlApi.people.session(row.hash);
  if (!session) throw new Error("a session that was just made is gone");
  const answer = json(await describeCaller(controlApi, callerOfSession(session)), 201);
  answer.headers.set("set-cookie", cookie);
  return answer;
}

/** Redirects the browser to a page that shows the outcome. */
async function handleGithubCallback(
  call: RouteCall<ReturnType<typeof githubCallback.parse>, unknown>,
): Promise<Response> {
  const { controlApi, query, headers } = call;
  const { github } = controlApi.signIn;
  const githubResult = github && (await fromGithub(controlApi, github, query, headers));
  try {
    if (!githubResult) return toConsole(call, "#/sign-in/sign_in_failed");
    const { cookie } = await signInByGithub(controlApi, headers, githubResult.account, githubResult.invitation);
    return toConsole(call, "#/", cookie);
  } catch (error) {
    if (!(error instanceof ControlError)) controlApi.report(error, "signing in by GitHub");
    return toConsole(call, `#/sign-in/${error instanceof ControlError ? error.code : "internal"}`);
  }
}

function toConsole({ controlApi }: Pick<RouteRequest, "controlApi">, place: string, cookie?: string): Response {
  const headers = new Headers({ location: `${controlApi.console}/${place}` });
  headers.append("set-cookie", clearSignInState(controlApi));
  if (cookie) headers.append("set-cookie", cookie);
  return new Response(null, { status: 302, headers });
}
