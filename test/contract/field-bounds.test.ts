// Bounds of the control API's fields in docs/security.md: a value at the bound is accepted, and one past it is refused by name.
import { expect, test } from "vitest";
import type { z } from "zod";
import { operatorsAuditQuery, tenantQuery } from "../../shared/contract/hosted/admin.ts";
import { createClass, joinClass, lookAtClass } from "../../shared/contract/hosted/class.ts";
import { answerInSession, inSession, oembedQuery } from "../../shared/contract/hosted/embed.ts";
import { newLtiPlatform } from "../../shared/contract/hosted/lti.ts";
import { createPublishableKey } from "../../shared/contract/hosted/publishable-key.ts";
import { newWebhook } from "../../shared/contract/hosted/webhook.ts";
import { oidcIssuers } from "../../shared/contract/issuer.ts";
import { jwtAuthenticators } from "../../shared/contract/jwt-authenticator.ts";
import { createKey } from "../../shared/contract/key.ts";
import { checkStep, createRun } from "../../shared/contract/lesson.ts";
import {
  createQuery,
  createSandbox,
  listQuery,
  patchSandbox,
  sandboxListQuery,
} from "../../shared/contract/sandbox.ts";
import { addPasskey, githubCallback, linkSignIn, patchMe, takeInvitation } from "../../shared/contract/sign-in.ts";
import { changesQuery, createSnapshot } from "../../shared/contract/snapshot.ts";
import { patchClock } from "../../shared/contract/cluster/clock.ts";
import { timelineQuery, whyQuery } from "../../shared/contract/cluster/past.ts";
import { createTemplate } from "../../shared/contract/template.ts";
import { createInvitation, patchTenant } from "../../shared/contract/tenant.ts";
import { createToken } from "../../shared/contract/token.ts";
import { lesson } from "../../shared/lesson/lesson.ts";

const letters = (count: number) => "a".repeat(count);
const list = <T>(count: number, item: (at: number) => T) => Array.from({ length: count }, (_, at) => item(at));
const record = <T>(count: number, value: T) => Object.fromEntries(list(count, (at) => [`k${at}`, value]));
const origins = (count: number) => list(count, (at) => `https://a${at}.example.org`);
const address = (count: number) => `https://a.example.org/${letters(count - "https://a.example.org/".length)}`;

const issuer = (more: object = {}) => ({ issuerUrl: "https://i.example.org", audiences: ["a"], ...more });
const check = (more: object = {}) => ({ name: "c", expression: "true", ...more });
const step = (more: object = {}) => ({ title: "s", text: "t", checks: [check()], ...more });
const lessonOf = (more: object = {}) => ({ name: "l", title: "L", steps: [step()], ...more });
const user = (at: number) => ({ name: `u${at}` });
const checks = (count: number) => list(count, (at) => check({ name: `c${at}` }));
const platform = (more: object = {}) => ({
  name: "p",
  issuer: "https://p.example.org",
  clientId: "c",
  authorizationUrl: "https://p.example.org/a",
  tokenUrl: "https://p.example.org/t",
  jwksUrl: "https://p.example.org/k",
  ...more,
});
const publishable = (more: object = {}) => ({ name: "p", origins: origins(1), templates: ["web"], ...more });
const passkey = (letter: number) => ({
  id: letters(letter),
  rawId: "r",
  type: "public-key",
  response: { clientDataJSON: "c", attestationObject: "a" },
});

type Case = readonly [place: string, bound: number, schema: z.ZodType, value: (count: number) => unknown];

const sandboxes: readonly Case[] = [
  ["name", 63, createSandbox, (count) => ({ name: letters(count) })],
  ["ttlSeconds", 30 * 24 * 3600, createSandbox, (ttlSeconds) => ({ ttlSeconds })],
  ["ttlSeconds", 30 * 24 * 3600, patchSandbox, (ttlSeconds) => ({ ttlSeconds })],
  ["nodes", 5000, createSandbox, (nodes) => ({ nodes })],
  ["description", 500, createSandbox, (count) => ({ description: letters(count) })],
  ["description", 500, patchSandbox, (count) => ({ description: letters(count) })],
  ["description", 500, createQuery, (count) => ({ description: letters(count) })],
  ["labels", 32, createSandbox, (count) => ({ labels: record(count, "v") })],
  ["labels.a", 63, createSandbox, (count) => ({ labels: { a: letters(count) } })],
  ["label", 32, sandboxListQuery, (count) => ({ label: list(count, (at) => `k${at}=v`) })],
  ["id", 100, sandboxListQuery, (count) => ({ id: letters(count) })],
  ["limit", 500, listQuery, (limit) => ({ limit })],
  ["controllers", 100, createSandbox, (count) => ({ controllers: list(count, () => "job") })],
  ["kubeletSpeed", 1000, createSandbox, (kubeletSpeed) => ({ kubeletSpeed })],
  ["images", 50, createSandbox, (count) => ({ images: list(count, (at) => `a${at}`) })],
  ["images.0", 255, createSandbox, (count) => ({ images: [letters(count)] })],
  ["controllerDelayMs", 1000, createSandbox, (controllerDelayMs) => ({ controllerDelayMs })],
  ["waitSeconds", 300, createQuery, (waitSeconds) => ({ waitSeconds })],
  ["note", 1000, createSnapshot, (count) => ({ note: letters(count) })],
  ["limit", 50, changesQuery, (limit) => ({ limit })],
  ["name", 300, changesQuery, (count) => ({ name: letters(count) })],
];

const condition = (more: object) => ({
  runUntil: { resource: "pods", name: "p", expression: "object.status.phase == 'Running'", ...more },
});

const clocks: readonly Case[] = [
  ["speed", 1000, patchClock, (speed) => ({ speed })],
  ["advance", 366, patchClock, (days) => ({ advance: `${days}d` })],
  ["quietFor", 32, patchClock, (count) => ({ runUntil: "quiet", quietFor: `${"0".repeat(count - 2)}1s` })],
  ["limit.real", 60, patchClock, (seconds) => ({ advance: "1d", limit: { real: `${seconds}s` } })],
  ["runUntil.expression", 2000, patchClock, (count) => condition({ expression: letters(count) })],
  ["runUntil.name", 300, patchClock, (count) => condition({ name: letters(count) })],
  ["limit", 200, timelineQuery, (limit) => ({ limit })],
  ["user", 300, timelineQuery, (count) => ({ user: letters(count) })],
  ["resource", 100, timelineQuery, (count) => ({ resource: letters(count) })],
  ["namespace", 100, whyQuery, (count) => ({ namespace: letters(count) })],
];

const authentication: readonly Case[] = [
  ["", 10, oidcIssuers, (count) => list(count, (at) => issuer({ issuerUrl: `https://i${at}.example.org` }))],
  ["0.audiences", 20, oidcIssuers, (count) => [issuer({ audiences: list(count, (at) => `a${at}`) })]],
  ["0.usernamePrefix", 1024, oidcIssuers, (count) => [issuer({ usernamePrefix: letters(count) })]],
  ["0.certificateAuthority", 32 * 1024, oidcIssuers, (count) => [issuer({ certificateAuthority: letters(count) })]],
  [
    "0.userValidationRules",
    20,
    jwtAuthenticators,
    (count) => [
      {
        issuer: { url: "https://i.example.org", audiences: ["a"] },
        claimMappings: { username: { claim: "sub", prefix: "" } },
        userValidationRules: list(count, () => ({ expression: "true" })),
      },
    ],
  ],
  ["ttlSeconds", 30 * 24 * 3600, createToken, (ttlSeconds) => ({ ttlSeconds })],
  ["user", 253, createToken, (count) => ({ user: letters(count) })],
  ["groups", 50, createToken, (count) => ({ user: "u", groups: list(count, () => "g") })],
  ["frameOrigins", 20, createToken, (count) => ({ frameOrigins: origins(count) })],
  ["frameOrigins.0", 255, createToken, (count) => ({ frameOrigins: [`https://${letters(count - 8)}`] })],
];

const tenants: readonly Case[] = [
  [
    "ttlSeconds",
    5 * 365 * 24 * 3600,
    createKey,
    (ttlSeconds) => ({ name: "k", scopes: ["sandboxes:read"], ttlSeconds }),
  ],
  ["name", 100, createKey, (count) => ({ name: letters(count), scopes: ["sandboxes:read"] })],
  ["scopes", 100, createKey, (count) => ({ name: "k", scopes: list(count, () => "sandboxes:read") })],
  ["ttlSeconds", 30 * 24 * 3600, createInvitation, (ttlSeconds) => ({ role: "viewer", ttlSeconds })],
  ["allowedOrigins", 20, patchTenant, (count) => ({ allowedOrigins: origins(count) })],
  ["tenant", 100, patchMe, (count) => ({ tenant: letters(count) })],
  ["invitation", 100, takeInvitation, (count) => ({ invitation: letters(count) })],
  ["link", 100, linkSignIn, (count) => ({ link: letters(count) })],
  ["state", 1024, githubCallback, (count) => ({ state: letters(count) })],
  ["passkey.id", 16 * 1024, addPasskey, (count) => ({ passkey: passkey(count) })],
  ["limit", 100, tenantQuery, (limit) => ({ limit })],
  ["limit", 100, operatorsAuditQuery, (limit) => ({ limit })],
  ["url", 2000, newWebhook, (count) => ({ url: address(count), events: ["sandbox.created"] })],
];

const templates: readonly Case[] = [
  ["manifests", 1024 * 1024, createTemplate, (count) => ({ name: "t", manifests: letters(count) })],
  ["description", 500, createTemplate, (count) => ({ name: "t", description: letters(count) })],
  ["nodes", 100, createTemplate, (count) => ({ name: "t", nodes: list(count, () => ({})) })],
  ["nodes.0.labels", 50, createTemplate, (count) => ({ name: "t", nodes: [{ labels: record(count, "v") }] })],
  ["users", 20, createTemplate, (count) => ({ name: "t", users: list(count, (at) => ({ user: `u${at}` })) })],
  ["incidents", 10, createTemplate, (count) => ({ name: "t", incidents: list(count, () => cordoned) })],
];
const cordoned = { type: "cordoned_node", node: "node-1" };

const lessons: readonly Case[] = [
  ["steps", 30, lesson, (count) => lessonOf({ steps: list(count, () => step()) })],
  ["steps.0.checks", 20, lesson, (count) => lessonOf({ steps: [step({ checks: checks(count) })] })],
  [
    "steps.0.solution",
    30,
    lesson,
    (count) => lessonOf({ steps: [step({ solution: list(count, () => ({ answer: "a" })) })] }),
  ],
  ["steps.0.text", 32 * 1024, lesson, (count) => lessonOf({ steps: [step({ text: letters(count) })] })],
  [
    "steps.0.checks.0.expression",
    4 * 1024,
    lesson,
    (count) => lessonOf({ steps: [step({ checks: [check({ expression: letters(count) })] })] }),
  ],
  [
    "steps.0.checks.0.hint",
    1000,
    lesson,
    (count) => lessonOf({ steps: [step({ checks: [check({ hint: letters(count) })] })] }),
  ],
  ["steps.0.checks.0.points", 100, lesson, (points) => lessonOf({ steps: [step({ checks: [check({ points })] })] })],
  ["title", 120, lesson, (count) => lessonOf({ title: letters(count) })],
  ["users", 10, lesson, (count) => lessonOf({ users: list(count, user) })],
  ["timeLimitMinutes", 24 * 60, lesson, (timeLimitMinutes) => lessonOf({ timeLimitMinutes })],
  ["learner", 253, createRun, (count) => ({ learner: letters(count) })],
  ["frameOrigins", 20, createRun, (count) => ({ learner: "l", frameOrigins: origins(count) })],
  ["answer", 4 * 1024, checkStep, (count) => ({ answer: letters(count) })],
  ["seats", 500, createClass, (seats) => ({ title: "C", seats })],
  ["ttlSeconds", 180 * 24 * 3600, createClass, (ttlSeconds) => ({ title: "C", ttlSeconds })],
  ["class", 100, lookAtClass, (count) => ({ class: letters(count) })],
  ["name", 60, joinClass, (count) => ({ class: "c", name: letters(count) })],
];

const elsewhere: readonly Case[] = [
  ["origins", 20, createPublishableKey, (count) => publishable({ origins: origins(count) })],
  ["templates", 20, createPublishableKey, (count) => publishable({ templates: list(count, () => "web") })],
  ["lessons", 20, createPublishableKey, (count) => publishable({ lessons: list(count, () => "first") })],
  ["limits.perVisitor", 20, createPublishableKey, (perVisitor) => publishable({ limits: { perVisitor } })],
  ["limits.atOnce", 50_000, createPublishableKey, (atOnce) => publishable({ limits: { atOnce } })],
  ["session", 2048, inSession, (count) => ({ session: letters(count) })],
  ["answer", 4 * 1024, answerInSession, (count) => ({ session: "s", answer: letters(count) })],
  ["url", 2048, oembedQuery, (count) => ({ url: letters(count) })],
  ["deployments", 100, newLtiPlatform, (count) => platform({ deployments: list(count, (at) => `d${at}`) })],
  ["clientId", 255, newLtiPlatform, (count) => platform({ clientId: letters(count) })],
  ["tokenUrl", 2000, newLtiPlatform, (count) => platform({ tokenUrl: address(count) })],
  ["name", 120, newLtiPlatform, (count) => platform({ name: letters(count) })],
];

function refusedPlace(schema: z.ZodType, value: unknown): string | undefined {
  return schema
    .safeParse(value)
    .error?.issues.map(({ path }) => path.join("."))
    .join(" ");
}

test.each([...sandboxes, ...clocks, ...authentication, ...tenants, ...templates, ...lessons, ...elsewhere])(
  "I2: %s has at most %d, and more is refused with its place",
  (place, bound, schema, value) => {
    expect(refusedPlace(schema, value(bound))).toBeUndefined();
    expect(refusedPlace(schema, value(bound + 1))).toBe(place);
  },
);

test.each<Case>([
  ["ttlSeconds", 10, createSandbox, (ttlSeconds) => ({ ttlSeconds })],
  ["kubeletSpeed", 0.1, createSandbox, (kubeletSpeed) => ({ kubeletSpeed })],
  ["ttlSeconds", 600, createClass, (ttlSeconds) => ({ title: "C", ttlSeconds })],
  ["ttlSeconds", 60, createInvitation, (ttlSeconds) => ({ role: "viewer", ttlSeconds })],
])("I2: %s is at least %d", (place, bound, schema, value) => {
  expect(refusedPlace(schema, value(bound))).toBeUndefined();
  expect(refusedPlace(schema, value(bound - (bound < 1 ? 0.05 : 1)))).toBe(place);
});

test("I8: unknown accepts succeed and fail only", () => {
  for (const unknown of ["succeed", "fail"]) expect(refusedPlace(createSandbox, { unknown })).toBeUndefined();
  for (const unknown of ["", "Succeed", "ignore", true, null])
    expect(refusedPlace(createSandbox, { unknown })).toBe("unknown");
});

test("I8: feature gates are existing ones, at most 100 with names of 100 characters", () => {
  const at = (featureGates: object) => refusedPlace(createSandbox, { featureGates });
  expect(at({ [letters(100)]: true })).toBe(`featureGates.${letters(100)}`);
  expect(at({ [letters(101)]: true })).toContain("featureGates");
  expect(at(record(101, true))).toBe("featureGates");
});

test.each([
  ["serviceCidr", ["10.96.0.0/12", "10.96.0.0/28"], ["10.96.0.0/11", "10.96.0.0/29"]],
  ["podCidr", ["10.0.0.0/8", "10.244.0.0/24"], ["0.0.0.0/7", "10.244.0.0/25"]],
] as const)("I8: %s accepts the widest to the narrowest range", (field, taken, refused) => {
  for (const range of taken) expect(refusedPlace(createSandbox, { [field]: range })).toBeUndefined();
  for (const range of refused) expect(refusedPlace(createSandbox, { [field]: range })).toBe(field);
  expect(refusedPlace(createSandbox, { [field]: `10.96.0.0/${"0".repeat(20)}16` })).toContain(field);
});
