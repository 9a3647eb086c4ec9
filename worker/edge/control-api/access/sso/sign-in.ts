// Sign-in by an organisation's provider: authorization code with PKCE, state and nonce, and the membership that follows.
import { CodeChallengeMethod, generateCodeVerifier, OAuth2Client } from "arctic";
import { limits } from "../../../../../shared/base/limits.ts";
import type { AuditContext } from "../../../db/audit.ts";
import type { ManagedPerson } from "../../../db/identity.ts";
import type { SsoRow } from "../../../db/identity-tables.ts";
import { randomText, sameText } from "../../../mac.ts";
import { networkOf } from "../../../network.ts";
import { seal, unseal } from "../../../sealed.ts";
import { ControlError } from "../../control-error.ts";
import { requireFreeSpace } from "../../sandboxes.ts";
import type { ControlApiServer } from "../../server.ts";
import { type CookieShape, dropCookie, readCookie, setCookie } from "../cookies.ts";
import { type NewSession, newSession } from "../sessions.ts";
import { newManagedPerson } from "./managed-person.ts";
import { type Claims, discover, exchange, ProviderError, verify } from "./provider.ts";
import { clientOf, noSso, providerOf } from "./settings.ts";

/** The state that the browser keeps during the redirect. It is sealed, so only this service can write it. */
interface SignInState {
  readonly tenantId: string;
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly untilMs: number;
}

const path = "/v1/sign-in/sso";
/** `Lax`, because the callback is a navigation from the provider's site. */
const cookie: CookieShape = { name: "sandbar-sso", path, sameSite: "Lax", maxAgeSeconds: limits.signInMs / 1000 };
const context = "sign-in by an organisation's provider";
/** The action of the audit entries. */
const action = "signInBySso";

/** Redirects the browser to the organisation's provider. Throws 404 without one, and 502 if it does not answer. */
export async function toProvider(controlApi: ControlApiServer, tenantId: string): Promise<Response> {
  const { secret, console, nowMs } = controlApi;
  const row = await controlApi.identity.sso(tenantId);
  if (!row) throw noSso();
  const metadata = await reporting(controlApi, row, () => discover(providerOf(controlApi), row.issuer));
  const signInState: SignInState = {
    ...{ tenantId, issuer: row.issuer },
    state: randomText(51),
    nonce: randomText(51),
    verifier: generateCodeVerifier(),
    untilMs: nowMs() + limits.signInMs,
  };
  const { clientId, redirectUri } = await clientOf(controlApi, row);
  const to = new OAuth2Client(clientId, null, redirectUri).createAuthorizationURLWithPKCE(
    metadata.authorization_endpoint,
    signInState.state,
    CodeChallengeMethod.S256,
    signInState.verifier,
    ["openid", "email", "profile"],
  );
  to.searchParams.set("nonce", signInState.nonce);
  const sealed = await seal(secret, context, JSON.stringify(signInState));
  return new Response(null, {
    status: 302,
    headers: { location: to.href, "set-cookie": setCookie(console, cookie, sealed) },
  });
}

/** Returns the `Set-Cookie` header that clears the sign-in state. */
export function clearSsoState({ console }: Pick<ControlApiServer, "console">): string {
  return dropCookie(console, cookie);
}

type Answer = Readonly<Partial<Record<"code" | "state" | "error" | "iss", string | undefined>>>;

/** Signs in a person who returns from the provider. Throws an error whose code the page shows. */
export async function fromProvider(
  controlApi: ControlApiServer,
  { code, state, iss }: Answer,
  headers: Headers,
): Promise<NewSession> {
  const signInState = await readState(controlApi, headers);
  if (!signInState || code === undefined || state === undefined || !sameText(state, signInState.state)) throw failed();
  const row = await controlApi.identity.sso(signInState.tenantId);
  // The provider may have been replaced meanwhile.
  if (row?.issuer !== signInState.issuer) throw failed();
  const client = await clientOf(controlApi, row);
  const claims = await reporting(controlApi, row, async () => {
    const provider = providerOf(controlApi);
    const metadata = await discover(provider, row.issuer);
    const isRequired = metadata.authorization_response_iss_parameter_supported;
    if (iss === undefined ? isRequired : iss !== row.issuer) throw new ProviderError("is not the one that answers");
    const tokens = await exchange(provider, metadata, client, { code, verifier: signInState.verifier });
    return verify(provider, metadata, client, tokens, signInState.nonce);
  });
  return enter(controlApi, row, claims, headers);
}

async function readState({ secret, console, nowMs }: ControlApiServer, headers: Headers) {
  const sealed = readCookie(console, cookie, headers);
  if (sealed === undefined) return undefined;
  try {
    // `toProvider` wrote the state.
    const signInState = JSON.parse(await unseal(secret, context, sealed)) as SignInState;
    return signInState.untilMs > nowMs() ? signInState : undefined;
  } catch {
    return undefined;
  }
}

/** Logs the reason for the operator, and answers the browser without details of the provider. */
async function reporting<T>(controlApi: ControlApiServer, { tenantId }: SsoRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    controlApi.note("sso_failed", `the provider of ${tenantId} ${error.message}`);
    throw new ControlError(502, "sso_unavailable", `the organisation's identity provider ${error.message}`);
  }
}

/** Signs in a managed person. A person whom nobody provisioned becomes a member if the organisation allows it. */
async function enter(controlApi: ControlApiServer, row: SsoRow, claims: Claims, headers: Headers): Promise<NewSession> {
  requireDomain(row, claims);
  await requireFreeSpace(controlApi);
  const { tenantId } = row;
  const managed = await findPerson(controlApi, tenantId, claims);
  if (!managed) return join(controlApi, row, claims, headers);
  if (!managed.isActive) throw new ControlError(403, "deactivated", "the organisation has deactivated your account");
  const session = await newSession(controlApi, headers, managed.personId, tenantId);
  const audit = auditContextOf(controlApi, headers, { id: managed.personId, name: managed.name }, tenantId);
  const { people } = controlApi.auditing(audit);
  if (managed.subject === null) {
    const change = { subject: claims.subject, changedAtMs: controlApi.nowMs() };
    if (!(await controlApi.identity.changeManaged(managed, { managed: change }))) throw failed();
  }
  if (!(await people.signIn(session.row, limits.sessions))) throw failed();
  return session;
}

/** Throws 403 without a verified address in one of the organisation's domains. */
function requireDomain({ domains }: SsoRow, { email }: Claims): void {
  if (domains.length === 0 || domains.includes(email.slice(email.lastIndexOf("@") + 1))) return;
  const message = "your verified e-mail address is of none of the organisation's domains";
  throw new ControlError(403, "not_invited", message);
}

/** Finds the person by the provider's id. A provisioned person who never signed in is found by external id, user name or address. */
async function findPerson(
  { identity }: ControlApiServer,
  tenantId: string,
  { subject, email }: Claims,
): Promise<ManagedPerson | undefined> {
  const bySubject = await identity.findManaged(tenantId, "subject", subject);
  if (bySubject) return bySubject;
  for (const [by, value] of [
    ["externalId", subject],
    ["userKey", email],
    ["email", email],
  ] as const) {
    const managed = await identity.findManaged(tenantId, by, value);
    if (managed?.subject === null) return managed;
  }
  return undefined;
}

async function join(controlApi: ControlApiServer, row: SsoRow, claims: Claims, headers: Headers): Promise<NewSession> {
  const { tenantId, role, joins } = row;
  if (!joins) throw new ControlError(403, "not_invited", "the organisation has not provisioned you");
  const newPerson = newManagedPerson(controlApi, tenantId, {
    ...claims,
    userName: claims.email || claims.userName || claims.subject,
    externalId: "",
  });
  const { person } = newPerson;
  const session = await newSession(controlApi, headers, person.id, tenantId);
  const { identity } = controlApi.auditing(auditContextOf(controlApi, headers, person, tenantId));
  if (await identity.addManaged({ ...newPerson, role, session: session.row })) return session;
  const isTaken = await identity.findManaged(tenantId, "userKey", newPerson.managed.userKey);
  if (isTaken) throw new ControlError(409, "user_exists", "another person of the organisation has your user name");
  throw new ControlError(409, "too_many_members", `the organisation has ${limits.members} members, which is the most`);
}

function auditContextOf(
  { nowMs, requestId = "" }: ControlApiServer,
  headers: Headers,
  { id, name }: { readonly id: string; readonly name: string },
  tenantId: string,
): AuditContext {
  const address = networkOf(headers);
  return { tenantId, atMs: nowMs(), actorKind: "person", actorId: id, actorName: name, action, address, requestId };
}

function failed(): ControlError {
  return new ControlError(
    401,
    "sign_in_failed",
    "the sign-in was not begun in this browser, or took too long: try again",
  );
}
