// Sessions of visitors in embedded pages. The first visit creates a sandbox with the page's publishable key; later visits return to it.
import { newSandbox } from "../../../../shared/contract/sandbox.ts";
import type * as z from "zod";
import { embedLimits } from "../../../../shared/base/embed-limits.ts";
import type { createEmbedSession, EmbedSession } from "../../../../shared/contract/hosted/embed.ts";
import type { Run } from "../../../../shared/contract/lesson.ts";
import { templateParts } from "../../../../shared/contract/template.ts";
import type { Visit, Visited, VisitUser } from "../../../../shared/contract/tenant-object.ts";
import type { PublishableKeyRow } from "../../db/embed-tables.ts";
import type { SandboxRow } from "../../db/schema.ts";
import { hashOf, randomText, tag } from "../../mac.ts";
import { addressOf } from "../../network.ts";
import { newUserToken, newViewToken } from "../../tokens.ts";
import { ControlError } from "../control-error.ts";
import type { RunPlace } from "../learn/run-place.ts";
import { getRun, startRun } from "../lesson-runs.ts";
import { lessonNamed } from "../lessons.ts";
import { expiredError, livingRow } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { getTemplate, makeSandboxOfTemplate } from "../templates/templates.ts";
import { readTemplateRef } from "../templates/name.ts";
import { AlreadyVisited, standingOf } from "../tenancy/plans.ts";
import { findPublishableKey } from "./publishable-keys.ts";
import { read, type Claims, sign } from "./signed.ts";

type SessionRequest = z.output<typeof createEmbedSession>;

/** The user of a visitor if the template declares no users: an administrator. */
const visitorUser: VisitUser = { name: "visitor", groups: ["system:masters"] };
const waitStepMs = 250;
const addressLength = 26;
/** The number of attempts to find or create the sandbox, in case it is deleted in between. */
const attempts = 3;

export async function openSession(
  controlApi: ControlApiServer,
  headers: Headers,
  request: SessionRequest,
): Promise<EmbedSession> {
  const { readOnly } = request;
  const nowMs = controlApi.nowMs();
  const proof = await proofOf(controlApi, request);
  const key = await keyOf(controlApi, proof);
  const { origin } = proof;
  const wish = wishOf(key, request);
  const visitor = (await visitorOf(controlApi, key, proof, request.visitor)) ?? randomText(20);
  const { row, user, isNew } = await sandboxFor(controlApi, {
    headers,
    key,
    visitor,
    wish,
    requiredSandbox: request.sandbox,
  });
  const run = wish.kind === "lesson" ? await runOf(controlApi, row) : undefined;
  const claims = { key: key.key, origin };
  const forMs = embedLimits.embedSessionMs;
  const token = await tokenOf(controlApi, row, user, readOnly);
  return {
    ticket: await sign(controlApi.secret, "ticket", claims, { nowMs, forMs }),
    visitor: await sign(
      controlApi.secret,
      "visitor",
      { ...claims, visitor },
      { nowMs, forMs: embedLimits.embedVisitorMs },
    ),
    session: await sign(
      controlApi.secret,
      "session",
      { ...claims, sandbox: row.id, run: run?.run ?? "" },
      { nowMs, forMs },
    ),
    isNew,
    sandbox: { id: row.id, expiresAt: new Date(row.expiresAtMs).toISOString() },
    ...token,
    readOnly,
    ...(run ? { run } : {}),
  };
}

/**
 * Verifies the ticket. If the ticket has expired, the visitor's token proves the page, because a frame can stay open longer than its
 * ticket.
 */
async function proofOf(
  { secret, nowMs }: ControlApiServer,
  { ticket, visitor = "" }: SessionRequest,
): Promise<Claims<"ticket">> {
  const proof = (await read(secret, "ticket", ticket, nowMs())) ?? (await read(secret, "visitor", visitor, nowMs()));
  if (proof) return proof;
  throw wrongProof("the ticket is invalid or has expired");
}

/** Returns the sandbox and the run of a session. Throws 401 if the session is invalid, and 410 if the sandbox has expired. */
export async function sessionOf(
  controlApi: ControlApiServer,
  text: string,
): Promise<{ readonly row: SandboxRow; readonly run: RunPlace | undefined }> {
  const claims = await read(controlApi.secret, "session", text, controlApi.nowMs());
  if (!claims) throw wrongProof("the session is invalid or has expired");
  const { tenantId } = await keyOf(controlApi, claims);
  const row = await livingRow(controlApi, tenantId, claims.sandbox);
  const runRow =
    claims.run === "" ? undefined : await controlApi.lessons.findRunOf(tenantId, row.id, controlApi.nowMs());
  return { row, run: runRow && { tenantId, lesson: runRow.lesson, run: runRow.id } };
}

/** Checks that the key is not revoked, that the origin is allowed, and that the tenant is not suspended. */
async function keyOf(controlApi: ControlApiServer, claims: Claims<"ticket">): Promise<PublishableKeyRow> {
  const key = await findPublishableKey(controlApi, claims.key);
  if (!key) throw new ControlError(401, "unauthorized", "the publishable key has been revoked");
  if (!key.origins.includes(claims.origin))
    throw new ControlError(403, "origin_not_allowed", `the publishable key does not allow pages of ${claims.origin}`);
  // Visitors are not told the reason of the suspension.
  if ((await standingOf(controlApi, key.tenantId)).suspended !== "")
    throw new ControlError(403, "suspended", "the organization that created this page is suspended");
  return key;
}

interface Wish {
  readonly kind: "template" | "lesson";
  readonly name: string;
}

function wishOf(key: PublishableKeyRow, { template, lesson }: SessionRequest): Wish {
  if (lesson !== undefined) {
    if (!key.lessons.includes(lesson)) throw notOffered("lesson", lesson);
    return { kind: "lesson", name: lesson };
  }
  const name = template ?? "";
  const base = readTemplateRef(name)?.name ?? "";
  if (!key.templates.includes(name) && !key.templates.includes(base)) throw notOffered("template", name);
  return { kind: "template", name };
}

function notOffered(kind: Wish["kind"], name: string): ControlError {
  return new ControlError(403, "not_offered", `the publishable key does not offer the ${kind} ${name}`, kind);
}

/** Returns the visitor of a token. Returns undefined if the token has expired, or belongs to another key or origin. */
async function visitorOf(
  { secret, nowMs }: ControlApiServer,
  { key }: PublishableKeyRow,
  { origin }: Claims<"ticket">,
  text: string | undefined,
): Promise<string | undefined> {
  const claims = text === undefined ? undefined : await read(secret, "visitor", text, nowMs());
  return claims?.key === key && claims.origin === origin ? claims.visitor : undefined;
}

interface Arrival {
  readonly headers: Headers;
  readonly key: PublishableKeyRow;
  readonly visitor: string;
  readonly wish: Wish;
  /** The only sandbox to return, if the frame already shows one. */
  readonly requiredSandbox: string | undefined;
}

interface VisitorSandbox {
  readonly row: SandboxRow;
  readonly user: VisitUser;
  readonly isNew: boolean;
}

async function sandboxFor(controlApi: ControlApiServer, arrival: Arrival): Promise<VisitorSandbox> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const existing = await findSandbox(controlApi, arrival);
    if (arrival.requiredSandbox !== undefined && arrival.requiredSandbox !== existing?.row.id) throw expiredError();
    if (existing) return existing;
    const created = await createSandbox(controlApi, arrival);
    if (created) return created;
  }
  throw notYet();
}

/** Finds the visitor's sandbox. If another frame of the page is creating it, waits for it. */
async function findSandbox(controlApi: ControlApiServer, { key, visitor, wish }: Arrival) {
  const { tenantId } = key;
  const visit = { key: key.key, visitor, wish: `${wish.kind} ${wish.name}` };
  const until = controlApi.nowMs() + embedLimits.embedWaitMs;
  let visitedSandbox: Visited | undefined;
  while ((visitedSandbox = await controlApi.tenant(tenantId).sandboxOfVisitor(visit)) && !visitedSandbox.isMade) {
    if (controlApi.nowMs() >= until) throw notYet();
    await controlApi.wait(waitStepMs);
  }
  if (!visitedSandbox) return undefined;
  try {
    return { row: await livingRow(controlApi, tenantId, visitedSandbox.id), user: visitedSandbox.user, isNew: false };
  } catch (error) {
    if (!(error instanceof ControlError) || (error.status !== 404 && error.status !== 410)) throw error;
    await controlApi.tenant(tenantId).recordEnd(visitedSandbox.id);
    return undefined;
  }
}

/** Returns undefined if another frame created the sandbox first. */
async function createSandbox(controlApi: ControlApiServer, arrival: Arrival): Promise<VisitorSandbox | undefined> {
  const { key, wish } = arrival;
  const { tenantId } = key;
  try {
    const { id, user } = await (wish.kind === "lesson" ? lessonFor : templateFor)(controlApi, arrival);
    // Mark the sandbox as made at once, so that a visitor who returns finds it.
    await controlApi.tenant(tenantId).markMade(id);
    return { row: await livingRow(controlApi, tenantId, id), user, isNew: true };
  } catch (error) {
    if (error instanceof AlreadyVisited) return undefined;
    throw error;
  }
}

async function templateFor(controlApi: ControlApiServer, arrival: Arrival) {
  const { key, wish } = arrival;
  const { tenantId, ttlSeconds } = key;
  const { ref, name, parts: content } = await getTemplate(controlApi, tenantId, wish.name);
  const [first] = templateParts.parse(content).users;
  const user = first ? { name: first.user, groups: first.groups } : visitorUser;
  const source = await visitOf(controlApi, arrival, user);
  const labels = { template: name, "publishable-key": key.key };
  const { sandbox } = await makeSandboxOfTemplate(
    controlApi,
    tenantId,
    { ...newSandbox.parse({ ttlSeconds, labels }), source },
    ref,
  );
  return { id: sandbox.id, user };
}

async function lessonFor(controlApi: ControlApiServer, arrival: Arrival) {
  const { key, visitor, wish } = arrival;
  const { tenantId } = key;
  const { facts, document } = await lessonNamed(controlApi, tenantId, wish.name);
  const [learner] = document.users;
  const user = learner ?? visitorUser;
  await controlApi.lessons.forgetVisits(tenantId, controlApi.nowMs() - embedLimits.visitorRunMs);
  const runRequest = { learner: `visitor-${visitor}`, version: facts.version, resume: false, frameOrigins: [] };
  const source = await visitOf(controlApi, arrival, user);
  const newRun = await startRun(controlApi, tenantId, wish.name, runRequest, {
    visit: { publishableKey: key.key, source },
  });
  return { id: newRun.sandbox.id, user };
}

async function visitOf(controlApi: ControlApiServer, arrival: Arrival, user: VisitUser): Promise<Visit> {
  const { headers, key, visitor, wish } = arrival;
  const from = addressOf(headers);
  // The visitor's address is not stored, only an HMAC of it, for as long as the sandbox counts.
  const address = from === "" ? "" : await tag(controlApi.secret, "visitor-address", from, addressLength);
  return { kind: "visit", key: key.key, visitor, wish: `${wish.kind} ${wish.name}`, address, user, most: key.limits };
}

async function runOf(controlApi: ControlApiServer, { tenantId, id }: SandboxRow): Promise<Run> {
  const runRow = await controlApi.lessons.findRunOf(tenantId, id, controlApi.nowMs());
  if (!runRow) throw new ControlError(404, "not_found", "the run of the lesson is gone");
  return getRun(controlApi, { tenantId, lesson: runRow.lesson, run: runRow.id });
}

/** Returns the same token within half of its lifetime, so that frequent page loads create few tokens. */
async function tokenOf(
  controlApi: ControlApiServer,
  { id, tokenVersion, expiresAtMs: endMs }: SandboxRow,
  { name: user, groups }: VisitUser,
  readOnly: boolean,
): Promise<Pick<EmbedSession, "token" | "tokenExpiresAt" | "user">> {
  const { secret } = controlApi;
  const half = embedLimits.embedSessionMs / 2;
  const windowMs = Math.floor(controlApi.nowMs() / half + 2) * half;
  const expiresAtMs = Math.floor(Math.min(windowMs, endMs) / 1000) * 1000;
  const tokenKey = `${id}:${readOnly}:${user}:${expiresAtMs}`;
  // After a rotation of the sandbox's tokens, the revoked token is not issued again.
  const random = await tag(secret, "visitor-token", tokenVersion === 0 ? tokenKey : `${tokenKey}:${tokenVersion}`, 16);
  const token = await (readOnly ? newViewToken : newUserToken)(secret, id, expiresAtMs, random);
  const identity = readOnly
    ? { user: "sandbar:viewer", groups: ["sandbar:viewers", "system:authenticated"] }
    : { user, groups: [...new Set([...groups, "system:authenticated"])] };
  const stored = { hash: await hashOf(token), ...identity, expiresAtMs, readOnly, frameOrigins: [] };
  const added = await controlApi.cluster(id).addToken(stored);
  if (added === "gone") throw expiredError();
  if (added === "full")
    throw new ControlError(409, "too_many_tokens", "the sandbox has reached its limit of tokens; try again later");
  return { token, tokenExpiresAt: new Date(expiresAtMs).toISOString(), user: identity.user };
}

function wrongProof(message: string): ControlError {
  return new ControlError(401, "unauthorized", message, undefined, { credential: "" });
}

function notYet(): ControlError {
  return new ControlError(409, "busy", "the sandbox is still being created; try again");
}
