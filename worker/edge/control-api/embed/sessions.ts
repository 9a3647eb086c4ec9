// A visitor of somebody's page and his sandbox: made by the page's publishable key when he comes first, found again when he comes back.
import type { z } from "zod";
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
import { goneError, livingRow } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { getTemplate, makeSandboxOfTemplate } from "../templates/templates.ts";
import { readTemplateRef } from "../templates/name.ts";
import { AlreadyVisited, standingOf } from "../tenancy/plans.ts";
import { findPublishableKey } from "./publishable-keys.ts";
import { read, type Said, sign } from "./signed.ts";

type SessionRequest = z.output<typeof createEmbedSession>;

/** Whom a visitor of a template without users acts as: an administrator. */
const visitorUser: VisitUser = { name: "visitor", groups: ["system:masters"] };
const waitStepMs = 250;
const addressLength = 26;
/** How often a sandbox that is gone in between is looked for again. */
const attempts = 3;

export async function openSession(
  controlApi: ControlApiServer,
  headers: Headers,
  asked: SessionRequest,
): Promise<EmbedSession> {
  const { readOnly } = asked;
  const nowMs = controlApi.nowMs();
  const proof = await proofOf(controlApi, asked);
  const key = await keyOf(controlApi, proof);
  const { origin } = proof;
  const wish = wishOf(key, asked);
  const visitor = (await visitorOf(controlApi, key, proof, asked.visitor)) ?? randomText(20);
  const { row, user, isNew } = await sandboxFor(controlApi, { headers, key, visitor, wish, shown: asked.sandbox });
  const run = wish.kind === "lesson" ? await runOf(controlApi, row) : undefined;
  const said = { key: key.key, origin };
  const forMs = embedLimits.embedSessionMs;
  const token = await tokenOf(controlApi, row, user, readOnly);
  return {
    ticket: await sign(controlApi.secret, "ticket", said, { nowMs, forMs }),
    visitor: await sign(
      controlApi.secret,
      "visitor",
      { ...said, visitor },
      { nowMs, forMs: embedLimits.embedVisitorMs },
    ),
    session: await sign(
      controlApi.secret,
      "session",
      { ...said, sandbox: row.id, run: run?.run ?? "" },
      { nowMs, forMs },
    ),
    isNew,
    sandbox: { id: row.id, expiresAt: new Date(row.expiresAtMs).toISOString() },
    ...token,
    readOnly,
    ...(run ? { run } : {}),
  };
}

/** A frame that has been open for longer than its ticket is good for is still that of the page where its visitor came. */
async function proofOf(
  { secret, nowMs }: ControlApiServer,
  { ticket, visitor = "" }: SessionRequest,
): Promise<Said<"ticket">> {
  const proof = (await read(secret, "ticket", ticket, nowMs())) ?? (await read(secret, "visitor", visitor, nowMs()));
  if (proof) return proof;
  throw wrongProof("the ticket is none of this service, or has expired");
}

/** What a session is about. Throws 401 for one that is none, and 410 where the sandbox's time is up. */
export async function sessionOf(
  controlApi: ControlApiServer,
  text: string,
): Promise<{ readonly row: SandboxRow; readonly run: RunPlace | undefined }> {
  const said = await read(controlApi.secret, "session", text, controlApi.nowMs());
  if (!said) throw wrongProof("the session is none of this service, or has expired");
  const { tenantId } = await keyOf(controlApi, said);
  const row = await livingRow(controlApi, tenantId, said.sandbox);
  const found = said.run === "" ? undefined : await controlApi.lessons.findRunOf(tenantId, row.id);
  return { row, run: found && { tenantId, lesson: found.lesson, run: found.id } };
}

/** It may have been revoked since, and its tenant suspended. */
async function keyOf(controlApi: ControlApiServer, said: Said<"ticket">): Promise<PublishableKeyRow> {
  const key = await findPublishableKey(controlApi, said.key);
  if (!key) throw new ControlError(401, "unauthorized", "the publishable key has been revoked");
  if (!key.origins.includes(said.origin))
    throw new ControlError(403, "origin_not_allowed", `the publishable key is not for pages of ${said.origin}`);
  // Why is not for visitors to know.
  if ((await standingOf(controlApi, key.tenantId)).suspended !== "")
    throw new ControlError(403, "suspended", "whoever made this page is suspended");
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

/** Who has expired, or was another key's or origin's visitor, is a new one. */
async function visitorOf(
  { secret, nowMs }: ControlApiServer,
  { key }: PublishableKeyRow,
  { origin }: Said<"ticket">,
  text: string | undefined,
): Promise<string | undefined> {
  const said = text === undefined ? undefined : await read(secret, "visitor", text, nowMs());
  return said?.key === key && said.origin === origin ? said.visitor : undefined;
}

interface Coming {
  readonly headers: Headers;
  readonly key: PublishableKeyRow;
  readonly visitor: string;
  readonly wish: Wish;
  /** No other than this one. */
  readonly shown: string | undefined;
}

interface TheirSandbox {
  readonly row: SandboxRow;
  readonly user: VisitUser;
  readonly isNew: boolean;
}

async function sandboxFor(controlApi: ControlApiServer, coming: Coming): Promise<TheirSandbox> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const there = await sandboxThere(controlApi, coming);
    if (coming.shown !== undefined && coming.shown !== there?.row.id) throw goneError();
    if (there) return there;
    const made = await sandboxMade(controlApi, coming);
    if (made) return made;
  }
  throw notYet();
}

/** One that another frame of the page is making is waited for. */
async function sandboxThere(controlApi: ControlApiServer, { key, visitor, wish }: Coming) {
  const { tenantId } = key;
  const visit = { key: key.key, visitor, wish: `${wish.kind} ${wish.name}` };
  const until = controlApi.nowMs() + embedLimits.embedWaitMs;
  let found: Visited | undefined;
  while ((found = await controlApi.tenant(tenantId).visited(visit)) && !found.isMade) {
    if (controlApi.nowMs() >= until) throw notYet();
    await controlApi.wait(waitStepMs);
  }
  if (!found) return undefined;
  try {
    return { row: await livingRow(controlApi, tenantId, found.id), user: found.user, isNew: false };
  } catch (error) {
    if (!(error instanceof ControlError) || (error.status !== 404 && error.status !== 410)) throw error;
    await controlApi.tenant(tenantId).gone(found.id);
    return undefined;
  }
}

/** Nothing, where another frame was faster. */
async function sandboxMade(controlApi: ControlApiServer, coming: Coming): Promise<TheirSandbox | undefined> {
  const { key, wish } = coming;
  const { tenantId } = key;
  try {
    const { id, user } = await (wish.kind === "lesson" ? lessonFor : templateFor)(controlApi, coming);
    // Counted as made at once: who comes back at once finds it.
    await controlApi.tenant(tenantId).made(id);
    return { row: await livingRow(controlApi, tenantId, id), user, isNew: true };
  } catch (error) {
    if (error instanceof AlreadyVisited) return undefined;
    throw error;
  }
}

async function templateFor(controlApi: ControlApiServer, coming: Coming) {
  const { key, wish } = coming;
  const { tenantId, ttlSeconds } = key;
  const { ref, name, parts } = await getTemplate(controlApi, tenantId, wish.name);
  const [first] = templateParts.parse(parts).users;
  const user = first ? { name: first.user, groups: first.groups } : visitorUser;
  const source = await visitOf(controlApi, coming, user);
  const labels = { template: name, "publishable-key": key.key };
  const { sandbox } = await makeSandboxOfTemplate(
    controlApi,
    tenantId,
    { name: undefined, ttlSeconds, labels, source },
    ref,
  );
  return { id: sandbox.id, user };
}

async function lessonFor(controlApi: ControlApiServer, coming: Coming) {
  const { key, visitor, wish } = coming;
  const { tenantId } = key;
  const { facts, document } = await lessonNamed(controlApi, tenantId, wish.name);
  const [learner] = document.users;
  const user = learner ?? visitorUser;
  await controlApi.lessons.forgetVisits(tenantId, controlApi.nowMs() - embedLimits.visitorRunMs);
  const asked = { learner: `visitor-${visitor}`, version: facts.version, resume: false, frameOrigins: [] };
  const source = await visitOf(controlApi, coming, user);
  const made = await startRun(controlApi, tenantId, wish.name, asked, {
    visit: { publishableKey: key.key, source },
  });
  return { id: made.sandbox.id, user };
}

async function visitOf(controlApi: ControlApiServer, coming: Coming, user: VisitUser): Promise<Visit> {
  const { headers, key, visitor, wish } = coming;
  const from = addressOf(headers);
  // Who comes is not kept: of the address only a tag, for as long as the sandbox is counted.
  const address = from === "" ? "" : await tag(controlApi.secret, "visitor-address", from, addressLength);
  return { kind: "visit", key: key.key, visitor, wish: `${wish.kind} ${wish.name}`, address, user, most: key.limits };
}

async function runOf(controlApi: ControlApiServer, { tenantId, id }: SandboxRow): Promise<Run> {
  const found = await controlApi.lessons.findRunOf(tenantId, id);
  if (!found) throw new ControlError(404, "not_found", "the run of the lesson is gone");
  return getRun(controlApi, { tenantId, lesson: found.lesson, run: found.id });
}

/** The same one again within half of its time, so that who loads a page often has few. */
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
  const whose = `${id}:${readOnly}:${user}:${expiresAtMs}`;
  // One that was revoked with the sandbox's own is not given again.
  const random = await tag(secret, "visitor-token", tokenVersion === 0 ? whose : `${whose}:${tokenVersion}`, 16);
  const token = await (readOnly ? newViewToken : newUserToken)(secret, id, expiresAtMs, random);
  const identity = readOnly
    ? { user: "sandbar:viewer", groups: ["sandbar:viewers", "system:authenticated"] }
    : { user, groups: [...new Set([...groups, "system:authenticated"])] };
  const stored = { hash: await hashOf(token), ...identity, expiresAtMs, readOnly, frameOrigins: [] };
  const added = await controlApi.cluster(id).addToken(stored);
  if (added === "gone") throw goneError();
  if (added === "full")
    throw new ControlError(409, "too_many_tokens", "the sandbox has as many tokens as it may: come again later");
  return { token, tokenExpiresAt: new Date(expiresAtMs).toISOString(), user: identity.user };
}

function wrongProof(message: string): ControlError {
  return new ControlError(401, "unauthorized", message, undefined, { credential: "" });
}

function notYet(): ControlError {
  return new ControlError(409, "busy", "the sandbox is still being made: ask again");
}
