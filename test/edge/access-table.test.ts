// Calls every route of the control API as a stranger, another tenant, each role and each scope. Permitted callers get their answer;
// for all others nothing is written or disclosed. A route without a row here fails.
import { describe, expect, test } from "vitest";
import { type ErrorBody, errorBody } from "../../shared/contract/error.ts";
import { scimError, scimType } from "../../shared/contract/hosted/scim.ts";
import { allScopes, roles, type Scope, scopesOfRole } from "../../shared/contract/scope.ts";
import { routes } from "../../worker/edge/control-api/control-api.ts";
import { type Access, needsCaller } from "../../worker/edge/control-api/route.ts";
import { hashOf } from "../../worker/edge/mac.ts";
import { addKey, addPerson, addSession, storedRows } from "./people.ts";
import { keys, newService, type SendOptions } from "./service.ts";

/** A tenant with one of everything, and people of every role; and another with nothing but its key and its owner. */
async function newWorld() {
  const harness = await newService();
  const { database, send, time, service } = harness;
  const { nowMs } = time;
  // Else most of those who are refused would be told to come later.
  service.throttle = { failed: async () => undefined };
  service.signIn = {
    signUp: true,
    github: { clientId: "id", clientSecret: "secret", url: "https://github.test", api: "https://api.github.test" },
  };
  const create = async (path: string, body?: unknown) => {
    const answer = await send("POST", path, { body });
    expect(answer.status).toBe(201);
    return answer.json<{ id: string; key: string; code: string; run: string; url: string; sandbox: { id: string } }>();
  };
  const { id: sandbox } = await create("/v1/sandboxes", { name: "adas" });
  const { id: token } = await create(`/v1/sandboxes/${sandbox}/tokens`, {});
  const { id: snapshot } = await create(`/v1/sandboxes/${sandbox}/snapshots`, { name: "adas" });
  await create("/v1/lessons", lesson);
  const { run, url, sandbox: ofRun } = await create("/v1/lessons/first/runs", { learner: "pat" });
  const cluster = harness.clusters.get(ofRun.id);
  if (cluster)
    cluster.restoreState = () => Promise.resolve({ ok: true, revision: 1, version: "1.36" as const, objects: 1 });
  const { id: key } = await create("/v1/keys", { name: "adas", scopes: ["keys:write"] });
  const { key: publishable } = await create("/v1/publishable-keys", {
    name: "adas",
    origins: ["https://course.example.org"],
    lessons: ["first"],
  });
  const { id: invitation } = await create("/v1/invitations", { role: "viewer" });
  await create("/v1/templates", { name: "adas-template", sandbox });
  const { id: ofClass } = await create("/v1/lessons/first/classes", { title: "7b" });
  const { id: share } = await create(`/v1/sandboxes/${sandbox}/shares`, { title: "adas" });
  const { id: webhook } = await create("/v1/webhooks", { url: "https://hooks.example.com/a" });
  const { delivery } = await (await send("POST", `/v1/webhooks/${webhook}/test`)).json<{ delivery: string }>();
  const { id: lms } = await create("/v1/lti/platforms", platform);
  service.trialDifficulty = 1;
  service.localService = localProvider;
  for (const key of [keys.ada, keys.bob])
    expect((await send("PUT", "/v1/tenant/sso", { key, body: provider })).status).toBe(200);
  const { id: user } = await create("/v1/scim/v2/Users", { userName: "managed", emails: [{ value: "m@example.org" }] });
  const { id: group } = await create("/v1/scim/v2/Groups", { displayName: "all", members: [{ value: user }] });
  const signedIn = new Map<string, Awaited<ReturnType<typeof addPerson>>>();
  for (const role of roles) signedIn.set(role, await addPerson(database, role, { tenant: "ada", role, nowMs }));
  const { id: member } = await addPerson(database, "else", { tenant: "ada", role: "viewer", nowMs });
  await addPerson(database, "second", { tenant: "ada", role: "owner", nowMs });
  const otherPerson = await addPerson(database, "other", { tenant: "bob", role: "owner", nowMs });
  // Each has another session and another organisation, for what is about oneself.
  database.exec("INSERT INTO tenants (id, name, created_at_ms) VALUES ('third', 'third', 0)");
  for (const [name, { id }] of [...signedIn, ["other", otherPerson] as const]) {
    const secret = `sbs_${`second${name}`.padEnd(51, "y")}`;
    await addSession(database, id, { tenant: undefined, secret, nowMs });
    database.prepare("INSERT INTO members VALUES ('third', ?, 'viewer', ?)").run(id, nowMs + 1);
    for (const at of ["a", "b"])
      database.prepare("INSERT INTO passkeys VALUES (?, ?, 'p', '', 0, '[]', 0, NULL, 0)").run(`${name}-${at}`, id);
  }
  database.exec("INSERT INTO tenants (id, name, created_at_ms) VALUES ('fourth', 'fourth', 0)");
  const code = `sbi_${"z".repeat(51)}`;
  const invite = database.prepare(
    "INSERT INTO invitations (hash, tenant_id, role, invited_by, created_at_ms, expires_at_ms) VALUES (?, 'fourth', 'viewer', 'x', 0, ?)",
  );
  invite.run(await hashOf(code), nowMs + 1e9);
  return {
    ...harness,
    ids: {
      sandbox,
      token,
      snapshot,
      run,
      key,
      publishable,
      invitation,
      member,
      webhook,
      delivery,
      platform: lms,
      class: ofClass,
      share,
      template: "adas-template",
      user,
      group,
    },
    code,
    learner: new URL(url).hash.slice(1),
    signedIn,
    other: otherPerson,
  };
}

type World = Awaited<ReturnType<typeof newWorld>>;

let refusing: Promise<World> | undefined;

/** Returns a world that is shared by refused requests. Each of these tests checks that nothing was written, so no state remains. */
async function refusingWorld(): Promise<World> {
  refusing ??= newWorld();
  const world = await refusing;
  world.service.callerCache.clear();
  return world;
}

let reading: Promise<World> | undefined;

/** Returns the world that all requests that only read share: each of their tests checks that nothing was written. No caller is remembered. */
async function readingWorld(): Promise<World> {
  reading ??= newWorld();
  const world = await reading;
  world.service.callerCache.clear();
  return world;
}

interface Row {
  /** The values of the path's parameters. */
  readonly path?: (world: World) => Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: (world: World) => unknown;
  /** Beside the route's own scope. */
  readonly also?: readonly Scope[];
  /** The status for permitted callers. The default is the route's. */
  readonly status?: number;
  /** True for an answer that stays open: the client leaves after a moment. */
  readonly isStream?: true;
  /** How many entries it leaves in the audit log. Default: none for `GET`, else one. */
  readonly notes?: number;
}

const viewer = scopesOfRole("viewer");
const ofSandbox: Row["path"] = ({ ids }) => ({ id: ids.sandbox });
const ofToken: Row["path"] = ({ ids }) => ({ id: ids.sandbox, token: ids.token });
const ofSnapshot: Row["path"] = ({ ids }) => ({ id: ids.sandbox, snapshot: ids.snapshot });
const ofTemplate: Row["path"] = ({ ids }) => ({ template: ids.template });
const ofWebhook: Row["path"] = ({ ids }) => ({ webhook: ids.webhook });
const ofPlatform: Row["path"] = ({ ids }) => ({ platform: ids.platform });
const ofAda: Row["path"] = () => ({ tenant: "ada" });
const ofLesson: Row["path"] = () => ({ name: lesson.name });
const ofClass: Row["path"] = ({ ids }) => ({ name: lesson.name, class: ids.class });
const command = { at: "2026-01-01T00:00:00Z", line: "kubectl get pods", output: "", exitCode: 0, tookMs: 1 };
const ofRun: Row["path"] = ({ ids }) => ({ name: lesson.name, run: ids.run });
const lesson = {
  name: "first",
  title: "First",
  manifests: "a: 1",
  timeLimitMinutes: 30,
  steps: [
    {
      title: "One",
      text: "# One",
      question: "Why?",
      hints: [{ text: "so" }],
      solutionAfter: 1,
      checks: [{ name: "a", points: 1, hint: "", expression: "true" }],
      solution: [{ apply: "x: 1" }],
    },
    { title: "Two", text: "# Two", checks: [{ name: "b", points: 1, hint: "", expression: "true" }] },
  ],
};
const platform = {
  name: "Moodle",
  issuer: "https://moodle.example.edu",
  clientId: "client",
  authorizationUrl: "https://moodle.example.edu/mod/lti/auth.php",
  tokenUrl: "https://moodle.example.edu/mod/lti/token.php",
  jwksUrl: "https://moodle.example.edu/mod/lti/certs.php",
  deployments: ["1"],
};
const provider = { issuer: "https://idp.example.org", clientId: "sandbar", clientSecret: "secret" };
/** Stands for the Node.js process beside a local service: it answers for the provider, and knows no sign-in link. */
const localProvider = {
  fetch: async (url: string) => {
    const metadata = {
      issuer: provider.issuer,
      authorization_endpoint: `${provider.issuer}/authorize`,
      token_endpoint: `${provider.issuer}/token`,
      jwks_uri: `${provider.issuer}/keys`,
    };
    const answer = { id: "", status: 200, headers: [], body: btoa(JSON.stringify(metadata)) };
    return url === "http://node/" ? Response.json(answer) : new Response(null, { status: 404 });
  },
};
const ofUser: Row["path"] = ({ ids }) => ({ user: ids.user });
const ofGroup: Row["path"] = ({ ids }) => ({ group: ids.group });
const passkey = { id: "x", rawId: "x", type: "public-key" };
const signature = { ...passkey, response: { clientDataJSON: "x", authenticatorData: "x", signature: "x" } };
const newPasskey = { ...passkey, response: { clientDataJSON: "x", attestationObject: "x" } };

const table: Readonly<Record<string, Row>> = {
  health: {},
  openApi: {},
  createSandbox: {},
  listSandboxes: {},
  getSandbox: { path: ofSandbox },
  changeSandbox: { path: ofSandbox, body: () => ({ name: "b" }) },
  resetSandbox: { path: ofSandbox },
  rotateToken: { path: ofSandbox },
  deleteSandboxes: { query: "?label=a", notes: 0 },
  deleteSandbox: { path: ofSandbox },
  getKubeconfig: { path: ofSandbox },
  listAuditEvents: { path: ofSandbox },
  createToken: { path: ofSandbox },
  listTokens: { path: ofSandbox },
  revokeToken: { path: ofToken },
  createPreview: {
    path: ofSandbox,
    body: () => ({ kind: "services", namespace: "default", name: "web", port: "80" }),
  },
  createSnapshot: { path: ofSandbox },
  listSnapshots: {},
  getSnapshot: { path: ofSnapshot },
  deleteSnapshot: { path: ofSnapshot },
  listSnapshotsOfSandbox: { path: ofSandbox },
  getSnapshotOfSandbox: { path: ofSnapshot },
  deleteSnapshotOfSandbox: { path: ofSnapshot },
  restoreSandbox: {
    path: ofSandbox,
    body: ({ ids }) => ({ snapshot: ids.snapshot }),
    also: ["snapshots:read"],
  },
  forkSandbox: { path: ofSandbox, also: ["sandboxes:connect"] },
  undo: { path: ofSandbox },
  getClock: { path: ofSandbox },
  getTimeline: { path: ofSandbox },
  getWhy: { path: ofSandbox },
  recordSandbox: { path: ofSandbox },
  changeClock: { path: ofSandbox, body: () => ({ state: "paused" }) },
  setFaults: { path: ofSandbox, body: () => ({ faults: [{ action: { cut: true } }] }) },
  getFaults: { path: ofSandbox },
  deleteFaults: { path: ofSandbox },
  listChanges: { path: ofSandbox },
  diffStates: { path: ofSandbox, query: "?from=now" },
  exportSandbox: { path: ofSandbox },
  createTemplate: { body: () => ({ name: "mine" }) },
  listTemplates: {},
  getTemplate: { path: ofTemplate },
  deleteTemplate: { path: ofTemplate },
  getUsage: {},
  getLimits: {},
  createWebhook: { body: () => ({ url: "https://hooks.example.com/b" }) },
  listWebhooks: {},
  getWebhook: { path: ofWebhook },
  changeWebhook: { path: ofWebhook, body: () => ({ enabled: false }) },
  deleteWebhook: { path: ofWebhook },
  testWebhook: { path: ofWebhook },
  listDeliveries: { path: ofWebhook },
  rotateWebhook: { path: ofWebhook },
  redeliver: { path: ({ ids }) => ({ webhook: ids.webhook, delivery: ids.delivery }) },
  followEvents: { isStream: true },
  getTrialChallenge: {},
  createTrial: { body: () => ({ challenge: "x", answer: "x" }), status: 400 },
  exportTenant: {},
  metrics: {},
  status: {},
  copyFacts: {},
  copyRows: {},
  restoreRows: { body: () => ({ table: "secret_moves", columns: ["secret_id", "begun_at_ms"], rows: [] }), notes: 0 },
  copyFiles: {},
  copyFile: { query: "?key=a/b", status: 404 },
  restoreFile: { query: "?key=a/b", status: 400, notes: 0 },
  copyObject: { query: "?kind=clusters&id=a" },
  restoreObject: { query: "?kind=clusters&id=a", status: 400, notes: 0 },
  getStoredData: { path: () => ({ tenant: "ada" }) },
  getDeletionReport: { path: () => ({ tenant: "ada" }), status: 404 },
  listOperatedTenants: {},
  getOperatedTenant: { path: ofAda },
  changeOperatedTenant: { path: ofAda, body: () => ({ plan: "free" }) },
  getTenantUsage: { path: ofAda },
  listTenantSandboxes: { path: ofAda },
  reconcileTenant: { path: ofAda },
  moveSecret: { notes: 0 },
  listOperatorsAudit: {},
  createOperatedTenant: { body: () => ({ id: "fifth" }) },
  importTenants: { body: () => ({ tenants: [{ id: "fifth" }] }) },
  getServiceUsage: {},
  deleteOperatedTenant: { path: ofAda, notes: 0 },
  deleteAnySandbox: { path: ofSandbox },
  deletePerson: { path: ({ ids }) => ({ person: ids.member }) },
  getSandboxHealth: { path: ofSandbox },
  publishLesson: { body: () => ({ ...lesson, title: "Else" }) },
  listLessons: {},
  getLesson: { path: ofLesson },
  listLessonVersions: { path: ofLesson },
  deleteLesson: { path: ofLesson },
  listResults: { path: ofLesson },
  // The sandbox, and a token of it.
  startRun: { path: ofLesson, body: () => ({ learner: "sam" }), notes: 2 },
  getRun: { path: ofRun },
  // What a learner does is the run's own.
  // Its sandbox, and the run.
  deleteRun: { path: ofRun, notes: 2 },
  linkRun: { path: ofRun },
  resetRun: { path: ofRun },
  createClass: { path: ofLesson, body: () => ({ title: "7c" }) },
  listClasses: { path: ofLesson },
  getClass: { path: ofClass },
  deleteClass: { path: ofClass },
  patchClass: { path: ofClass, body: () => ({ title: "7d" }) },
  listSeats: { path: ofClass },
  reserveSeats: { path: ofClass, body: () => ({ emails: ["sam@example.org"] }) },
  sendMessage: { path: ofLesson, body: () => ({ text: "Well done" }) },
  // The lesson, and the sandbox of its run.
  addTime: { path: ofLesson, body: () => ({ minutes: 5 }), notes: 2 },
  pauseRuns: { path: ofLesson, body: () => ({ paused: true }), notes: 2 },
  compareRuns: { path: ofLesson },
  listCommands: { path: ofRun },
  helpLearner: { path: ofRun, body: () => ({ state: "asked" }) },
  lookAtClass: { body: () => ({ class: "x" }), status: 404 },
  joinClass: { body: () => ({ class: "x", name: "sam" }), status: 404 },
  // The snapshot, and the link.
  createShare: {
    path: ofSandbox,
    body: () => ({ title: "Broken" }),
    also: ["sandboxes:connect", "sandboxes:create"],
    notes: 2,
  },
  listShares: {},
  deleteShare: { path: ({ ids }) => ({ share: ids.share }), notes: 2 },
  lookAtShare: { body: () => ({ share: "x" }), status: 404 },
  openShare: { body: () => ({ share: "x" }), status: 404 },
  getOwnRun: {},
  getOwnAccess: {},
  checkOwnStep: {},
  restartOwnStep: {},
  actInOwnExam: { body: () => ({ task: 1 }), status: 400 },
  skipOwnSteps: { body: () => ({ step: 2 }) },
  takeOwnHint: {},
  showOwnSolution: { status: 409 },
  consentToHelp: { body: () => ({ joined: false }) },
  takeHelpLines: { body: () => ({ terminal: "terminal-1", upTo: 1 }), status: 409 },
  recordOwnCommands: { body: () => ({ commands: [command] }) },
  checkRun: { path: ofRun, notes: 0 },
  answerRun: { path: ofRun, body: () => ({ answer: "so" }), notes: 0 },
  restartStep: { path: ofRun },
  skipToStep: { path: ofRun, body: () => ({ step: 2 }), notes: 0 },
  getLtiTool: {},
  createLtiRegistration: {},
  createLtiPlatform: { body: () => ({ ...platform, clientId: "another" }) },
  listLtiPlatforms: {},
  getLtiPlatform: { path: ofPlatform },
  changeLtiPlatform: { path: ofPlatform, body: () => ({ deployments: ["2"] }) },
  deleteLtiPlatform: { path: ofPlatform },
  listLtiScores: { path: ofPlatform },
  createKey: { body: () => ({ name: "k", scopes: ["keys:write"] }) },
  listKeys: {},
  revokeKey: { path: ({ ids }) => ({ key: ids.key }) },
  createPublishableKey: {
    body: () => ({ name: "k", origins: ["https://course.example.org"], templates: ["empty"] }),
    also: ["sandboxes:create", "templates:read"],
  },
  listPublishableKeys: {},
  revokePublishableKey: { path: ({ ids }) => ({ publishableKey: ids.publishable }) },
  createEmbedSession: { body: () => ({ ticket: "x", template: "empty" }), status: 401 },
  resetEmbedded: { body: () => ({ session: "x" }), status: 401 },
  checkEmbedded: { body: () => ({ session: "x" }), status: 401 },
  answerEmbedded: { body: () => ({ session: "x", answer: "so" }), status: 401 },
  getOembed: { query: "?url=https%3A%2F%2Fexample.org", status: 404 },
  getTenant: {},
  changeTenant: { body: () => ({ name: "else" }) },
  // The log goes with it.
  deleteTenant: { notes: 0 },
  listMembers: {},
  getMember: { path: ({ ids }) => ({ member: ids.member }) },
  changeMember: {
    path: ({ ids }) => ({ member: ids.member }),
    body: () => ({ role: "member" }),
    also: scopesOfRole("member"),
  },
  removeMember: { path: ({ ids }) => ({ member: ids.member }), also: viewer },
  createInvitation: { body: () => ({ role: "viewer" }), also: viewer },
  listInvitations: {},
  withdrawInvitation: { path: ({ ids }) => ({ invitation: ids.invitation }) },
  listAudit: {},
  getSignIn: {},
  signInByGithub: {},
  returnFromGithub: {},
  signInOptions: {},
  signInByPasskey: { body: () => ({ passkey: signature }), status: 401 },
  signInByLink: { body: () => ({ link: "x" }), status: 401 },
  joinOptions: { body: () => ({ invitation: "x", name: "n" }), status: 404 },
  join: { body: () => ({ invitation: "x", name: "n", passkey: newPasskey }), status: 404 },
  signInBySso: { query: "?tenant=ada" },
  returnFromSso: {},
  getSso: {},
  setSso: { body: () => provider, also: scopesOfRole("member") },
  deleteSso: {},
  getScimConfig: {},
  listScimResourceTypes: {},
  listScimSchemas: {},
  listScimUsers: {},
  createScimUser: { body: () => ({ userName: "else" }) },
  getScimUser: { path: ofUser },
  replaceScimUser: { path: ofUser, body: () => ({ userName: "else" }) },
  patchScimUser: { path: ofUser, body: () => ({ Operations: [{ op: "replace", value: { active: false } }] }) },
  deleteScimUser: { path: ofUser },
  listScimGroups: {},
  createScimGroup: { body: () => ({ displayName: "else" }) },
  getScimGroup: { path: ofGroup },
  replaceScimGroup: { path: ofGroup, body: () => ({ displayName: "else" }) },
  patchScimGroup: { path: ofGroup, body: () => ({ Operations: [{ op: "remove", path: "members" }] }) },
  deleteScimGroup: { path: ofGroup },
  getMe: {},
  changeMe: { body: () => ({ name: "else" }) },
  createTenant: { body: () => ({ name: "mine" }) },
  takeInvitation: { body: ({ code }) => ({ invitation: code }) },
  // Of both organisations.
  deleteMe: { notes: 2 },
  leaveTenant: { path: () => ({ tenant: "third" }) },
  listPasskeys: {},
  passkeyOptions: { notes: 0 },
  addPasskey: { body: () => ({ passkey: newPasskey }), status: 400, notes: 0 },
  removePasskey: {},
  listSessions: {},
  endSession: { path: () => ({ session: "current" }) },
};

function rowOf(id: string): Row {
  const row = table[id];
  if (!row) throw new Error(`the route ${id} has no row: say who may ask it`);
  return row;
}

type RouteValue = (typeof routes)[number];

/** Returns the request of a caller with this name. */
function requestFor(route: RouteValue, world: World, name = ""): { path: string; body: unknown } {
  const row = rowOf(route.id);
  const named = route.id === "removePasskey" ? { passkey: `${name}-a` } : (row.path?.(world) ?? {});
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => named[parameter] ?? `no-${parameter}`);
  return { path: path + (row.query ?? ""), body: row.body?.(world) };
}

/** Returns the route's path with the id of an object that does not exist. */
function inventedFor(route: RouteValue): string {
  const invented = {
    id: "a".repeat(26),
    snapshot: `snap${"a".repeat(20)}`,
    token: "a",
    key: "0".repeat(20),
    publishableKey: `pk_${"a".repeat(30)}`,
    member: `usr${"a".repeat(20)}`,
    invitation: "0".repeat(20),
    template: "nowhere",
    webhook: `wh${"a".repeat(20)}`,
    platform: `ltp${"a".repeat(20)}`,
    user: `usr${"a".repeat(20)}`,
    group: `grp${"a".repeat(20)}`,
  };
  const all: Readonly<Record<string, string>> = invented;
  return route.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => all[parameter] ?? "no");
}

const withCaller = routes.filter(needsCaller);
const scoped = withCaller.filter(hasAccess("scope"));
const forOperators = routes.filter(hasAccess("operator"));
const forPeople = withCaller.filter(hasAccess("person"));
const named = (all: readonly RouteValue[]) => all.map((route) => [route.id, route] as const);

function hasAccess(...kinds: readonly Access["kind"][]) {
  return ({ access }: RouteValue) => kinds.includes(access.kind);
}

function needed({ id, access }: RouteValue): Scope[] {
  return access.kind === "scope" ? [access.scope, ...(rowOf(id).also ?? [])] : [];
}

async function ask(world: World, route: RouteValue, options: SendOptions, name?: string) {
  const { path, body } = requestFor(route, world, name);
  const signal = rowOf(route.id).isStream ? { signal: AbortSignal.timeout(50) } : {};
  return world.send(route.method, path, { body, ...signal, ...options });
}

async function errorOf(answer: Response) {
  const body = await answer.json();
  // SCIM has errors of its own, with the same member.
  const isScim = answer.headers.get("content-type") === scimType;
  const error: ErrorBody["error"] = isScim ? scimError.parse(body).error : errorBody.parse(body).error;
  return { status: answer.status, ...error };
}

function notes({ database }: World): string[] {
  return storedRows(database).filter((row) => row.startsWith("control_audit "));
}

/** Sends an allowed request, and requires the status and the audit entry of the table. */
async function expectAnswered(
  route: RouteValue,
  options: (world: World) => Promise<SendOptions> | SendOptions,
  name?: string,
) {
  const isRead = route.method === "GET";
  const world = await (isRead ? readingWorld() : newWorld());
  const row = rowOf(route.id);
  const callOptions = await options(world);
  const before = notes(world).length;
  const rows = isRead ? storedRows(world.database).filter(isNoUse) : [];
  const answer = await ask(world, route, callOptions, name);
  expect([name, answer.status], await answer.clone().text()).toEqual([name, row.status ?? route.answer.status]);
  await world.settled();
  const written = notes(world).slice(before);
  expect(written.length, written.join("\n")).toBe(row.notes ?? (isRead ? 0 : 1));
  if (isRead) expect(storedRows(world.database).filter(isNoUse)).toEqual(rows);
  for (const auditRow of written) expect(auditRow).toContain(`"action":"${route.id}"`);
  for (const auditRow of written) expect(auditRow).toContain('"outcome":"done"');
  expect(world.errors).toEqual([]);
}

test("O1: every route has a row, and every row has a route", () => {
  expect(Object.keys(table).sort()).toEqual(routes.map(({ id }) => id).sort());
});

describe("O1: a request without credentials", () => {
  test.each(named(withCaller))(
    "O1: %s is 401 without credentials or with wrong ones, and nothing is written",
    async (_, route) => {
      const world = await refusingWorld();
      const before = storedRows(world.database);
      for (const options of [
        { key: "" },
        { key: `sbk_${"n".repeat(40)}` },
        { cookie: `sandbar-session=sbs_${"n".repeat(51)}` },
        // A key that is wrong is not made good by a cookie.
        { key: `sbk_${"n".repeat(40)}`, cookie: world.signedIn.get("owner")?.cookie ?? "" },
      ]) {
        const error = await errorOf(await ask(world, route, options, "owner"));
        expect(error).toMatchObject({ status: 401, code: "unauthorized" });
      }
      await world.settled();
      expect(storedRows(world.database)).toEqual(before);
    },
  );

  test.each(named(withCaller.filter(({ method }) => method !== "GET")))(
    "O3: %s with a session's cookie from another site's page is 403, and nothing is written",
    async (_, route) => {
      const world = await refusingWorld();
      const { cookie = "" } = world.signedIn.get("owner") ?? {};
      const before = storedRows(world.database);
      for (const headers of [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "none" },
        { "sec-fetch-site": "same-origin", origin: "https://evil.example.org" },
        { "sec-fetch-site": "cross-site", origin: "http://localhost:8787" },
        { "sec-fetch-site": "same-origin", origin: "null" },
      ] as Record<string, string>[]) {
        const error = await errorOf(await ask(world, route, { cookie, headers }, "owner"));
        expect(error).toMatchObject({ status: 403, code: "cross_origin" });
      }
      const { path, body } = requestFor(route, world, "owner");
      // Neither said: no browser that has the cookie.
      const silent = await world.send(route.method, path, { body, key: "", headers: { cookie } });
      expect(await errorOf(silent)).toMatchObject({ status: 403, code: "cross_origin" });
      await world.settled();
      expect(storedRows(world.database)).toEqual(before);
    },
  );

  test.each(named(routes.filter(hasAccess("public", "own-page"))))(
    "O1: %s is open, and writes nothing",
    async (_, route) => {
      const world = await newWorld();
      const before = storedRows(world.database);
      const headers: Record<string, string> =
        route.access.kind === "own-page" ? { "sec-fetch-site": "same-origin" } : {};
      const answer = await ask(world, route, { key: "", headers });
      expect(answer.status).toBe(rowOf(route.id).status ?? route.answer.status);
      if (route.access.kind === "own-page") {
        const foreign = await ask(world, route, { key: "", headers: { "sec-fetch-site": "cross-site" } });
        expect(await errorOf(foreign)).toMatchObject({ status: 403, code: "cross_origin" });
      }
      expect(storedRows(world.database)).toEqual(before);
    },
  );
});

describe("Y1: the operator's routes", () => {
  test.each(named(forOperators))(
    "Y1: %s is 401 for every key and session of a tenant, and nothing is written",
    async (_, route) => {
      const world = await newWorld();
      const all = await addKey(world.database, "ada", "all", allScopes);
      const before = storedRows(world.database);
      const people = [...world.signedIn.values()].map(({ cookie }) => ({ cookie }));
      for (const options of [{ key: "" }, { key: keys.ada }, { key: keys.bob }, { key: all }, ...people]) {
        const error = await errorOf(await ask(world, route, options, "owner"));
        expect(error).toMatchObject({ status: 401, code: "unauthorized" });
      }
      await world.settled();
      expect(storedRows(world.database)).toEqual(before);
    },
  );

  test.each(named(forOperators))("Y1: %s accepts the operator's key", async (_, route) => {
    const world = await newWorld();
    expect((await ask(world, route, { key: keys.operator })).status).toBe(
      rowOf(route.id).status ?? route.answer.status,
    );
  });

  test.each(named(withCaller))("Y1: %s refuses the operator's key, and nothing is written", async (_, route) => {
    const world = await refusingWorld();
    const before = storedRows(world.database);
    expect((await ask(world, route, { key: keys.operator }, "owner")).status).toBe(401);
    await world.settled();
    expect(storedRows(world.database)).toEqual(before);
  });
});

describe("M10: learners' routes", () => {
  const ofLearners = named(routes.filter(hasAccess("learner")));

  test.each(ofLearners)(
    "M10: %s is 401 without credentials and for keys, sessions and operators, and nothing is written",
    async (_, route) => {
      const world = await refusingWorld();
      const before = storedRows(world.database);
      const people = [...world.signedIn.values()].map(({ cookie }) => ({ cookie }));
      const invented = `${world.learner.slice(0, -1)}${world.learner.endsWith("a") ? "b" : "a"}`;
      for (const key of ["", keys.ada, keys.bob, keys.operator, invented]) {
        expect(await errorOf(await ask(world, route, { key }))).toMatchObject({ status: 401, code: "unauthorized" });
      }
      for (const options of people) expect((await ask(world, route, options)).status).toBe(401);
      await world.settled();
      expect(storedRows(world.database)).toEqual(before);
    },
  );

  test.each(ofLearners)("M10: %s accepts the learner's token, and writes no audit entry", async (_, route) => {
    const world = await newWorld();
    world.time.nowMs += 2000;
    const before = notes(world).length;
    const { status = route.answer.status } = rowOf(route.id);
    expect((await ask(world, route, { key: world.learner })).status).toBe(status);
    await world.settled();
    expect(notes(world).length).toBe(before);
  });

  test.each(named(withCaller))("M10: %s refuses a learner's token, and nothing is written", async (_, route) => {
    const world = await refusingWorld();
    const before = storedRows(world.database);
    expect((await ask(world, route, { key: world.learner }, "owner")).status).toBe(401);
    await world.settled();
    expect(storedRows(world.database)).toEqual(before);
  });
});

describe("O1: another tenant", () => {
  const ofOthers = scoped.filter(({ path }) => path.includes("{"));

  test.each(named(ofOthers))(
    "O1: %s answers for another tenant's object as for a missing one, and nothing is written",
    async (_, route) => {
      const world = await refusingWorld();
      const before = storedRows(world.database);
      const { path, body } = requestFor(route, world);
      for (const caller of [{ key: keys.bob }, { cookie: world.other.cookie }]) {
        const theirs = await errorOf(await world.send(route.method, path, { body, ...caller }));
        const query = rowOf(route.id).query ?? "";
        const nowhere = await errorOf(await world.send(route.method, inventedFor(route) + query, { body, ...caller }));
        expect(theirs.status).toBe(404);
        expect(theirs).toEqual(nowhere);
      }
      await world.settled();
      expect(storedRows(world.database).filter(isNoUse)).toEqual(before.filter(isNoUse));
    },
  );

  test.each(named(scoped.filter(({ path }) => !path.includes("{"))))(
    "O1: %s neither shows nor changes another tenant's objects",
    async (_, route) => {
      for (const by of ["key", "session"]) {
        const world = await newWorld();
        const mine = () => storedRows(world.database).filter((row) => row.includes('"ada"'));
        const before = mine();
        const caller = by === "key" ? { key: keys.bob } : { cookie: world.other.cookie };
        const answer = await ask(world, route, caller);
        expect(answer.status).toBe(route.answer.status);
        const text = await answer.text();
        for (const id of Object.values(world.ids)) expect(text).not.toContain(id);
        expect(text).not.toMatch(/"(ada|adas)"/);
        await world.settled();
        expect(mine()).toEqual(before);
      }
    },
  );

  test.each([
    ["/v1/sandboxes", { snapshot: true }],
    ["/v1/sandboxes/own/restore", { snapshot: true }],
    ["/v1/sandboxes/own/fork", { snapshot: true }],
  ])("O1: POST %s of another tenant's snapshot is 404", async (path) => {
    const world = await newWorld();
    const ownSandbox = await (await world.send("POST", "/v1/sandboxes", { key: keys.bob })).json<{ id: string }>();
    const body = { snapshot: world.ids.snapshot };
    const error = await errorOf(await world.send("POST", path.replace("own", ownSandbox.id), { body, key: keys.bob }));
    expect(error).toMatchObject({ status: 404, code: "not_found" });
  });

  test("O1: a sandbox of another tenant's template is 404", async () => {
    const world = await newWorld();
    const body = { template: world.ids.template };
    const error = await errorOf(await world.send("POST", "/v1/sandboxes", { body, key: keys.bob }));
    expect(error).toMatchObject({ status: 404, code: "not_found" });
  });

  test("O1: a session cannot select an organisation without membership", async () => {
    const world = await newWorld();
    const { cookie } = world.other;
    const moved = await world.send("PATCH", "/v1/me", { cookie, body: { tenant: "ada" } });
    expect(await errorOf(moved)).toMatchObject({ status: 404, field: "tenant" });
    // Even where the row says so.
    world.database.prepare("UPDATE sessions SET tenant_id = 'ada' WHERE hash = ?").run(world.other.hash);
    world.service.callerCache.clear();
    expect((await world.send("GET", "/v1/sandboxes", { cookie })).status).toBe(403);
    expect(await (await world.send("GET", "/v1/me", { cookie })).json()).toMatchObject({ scopes: [] });
  });
});

describe("O2: roles", () => {
  for (const role of roles) {
    const may = new Set(scopesOfRole(role));
    const isAllowed = (route: RouteValue) => needed(route).every((scope) => may.has(scope));

    test.each(named(scoped.filter(isAllowed)))(`O2: a ${role} may call %s`, async (_, route) => {
      await expectAnswered(route, (world) => ({ cookie: world.signedIn.get(role)?.cookie ?? "" }), role);
    });

    const denied = scoped.filter((route) => !isAllowed(route));
    if (denied.length > 0) {
      test.each(named(denied))(`O2: a ${role} may not call %s, and nothing is written`, async (_, route) => {
        const world = await refusingWorld();
        const before = storedRows(world.database);
        const error = await errorOf(await ask(world, route, { cookie: world.signedIn.get(role)?.cookie ?? "" }, role));
        expect(error).toMatchObject({ status: 403, code: "missing_scope" });
        expect(needed(route).filter((scope) => !may.has(scope))).toContain(error.scope);
        await world.settled();
        expect(storedRows(world.database)).toEqual(before);
      });
    }

    test.each(named(withCaller.filter(hasAccess("caller", "person"))))(
      `O2: a ${role} may call %s, which concerns the person alone`,
      async (_, route) => {
        await expectAnswered(route, (world) => ({ cookie: world.signedIn.get(role)?.cookie ?? "" }), role);
      },
    );
  }

  test.each(named(forPeople))("O2: %s refuses keys, and nothing is written", async (_, route) => {
    const world = await refusingWorld();
    const before = storedRows(world.database);
    expect(await errorOf(await ask(world, route, {}, "owner"))).toMatchObject({ status: 403, code: "person_needed" });
    await world.settled();
    expect(storedRows(world.database).filter(isNoUse)).toEqual(before.filter(isNoUse));
  });
});

describe("O2: scopes", () => {
  test.each([
    ["/v1/sandboxes", "sandboxes:create", "templates:read", () => ({ template: "adas-template" })],
    ["/v1/lessons", "lessons:write", "templates:read", () => ({ ...lesson, name: "b", template: "adas-template" })],
    [
      "/v1/lessons",
      "lessons:write",
      "templates:read",
      () => ({
        ...lesson,
        name: "b",
        manifests: "",
        exam: {},
        clusters: [{ name: "c1" }, { name: "c2", template: "adas-template" }],
      }),
    ],
    [
      "/v1/templates",
      "templates:write",
      "sandboxes:connect",
      ({ ids }: World) => ({ name: "b", sandbox: ids.sandbox }),
    ],
    ["/v1/templates", "templates:write", "snapshots:read", ({ ids }: World) => ({ name: "b", snapshot: ids.snapshot })],
  ] as const)("O2: POST %s with %s requires %s as well if it starts from another resource", async (...all) => {
    const [path, scope, beside, body] = all;
    const world = await newWorld();
    const [just, both] = [[scope], [scope, beside]] as const;
    const lacking = { key: await addKey(world.database, "ada", "just", just), body: body(world) };
    const error = await errorOf(await world.send("POST", path, lacking));
    expect(error).toMatchObject({ status: 403, code: "missing_scope", scope: beside });
    const having = { key: await addKey(world.database, "ada", "both", both), body: body(world) };
    expect((await world.send("POST", path, having)).status).toBe(201);
  });

  test.each(named(scoped))("O2: %s accepts only keys with its scopes", async (_, route) => {
    const all = needed(route);
    await expectAnswered(route, async ({ database }) => ({
      key: await addKey(database, "ada", `just-${route.id}`, all),
    }));
    // Nothing is written by who is refused, but for the keys.
    const world = await refusingWorld();
    const lacking = all.map((scope) => [scope, allScopes.filter((grantedScope) => grantedScope !== scope)] as const);
    const single = allScopes.filter((scope) => !all.includes(scope)).map((scope) => [all[0], [scope]] as const);
    const before = storedRows(world.database).filter(isNoUse);
    for (const [missing, scopes] of [...lacking, ...single]) {
      const key = await addKey(world.database, "ada", `${route.id}${scopes.length}${scopes[0]}${missing}`, scopes);
      const error = await errorOf(await ask(world, route, { key }));
      expect(error).toMatchObject({ status: 403, code: "missing_scope", scope: missing });
    }
    await world.settled();
    expect(storedRows(world.database).filter(isNoUse)).toEqual(before);
  });

  test.each(named(scoped))("O2: %s accepts a tenant's key from before scopes existed", async (_, route) => {
    await expectAnswered(route, () => ({ key: keys.ada }));
  });
});

/** When a key was last used is noted once an hour, whatever the answer. */
function isNoUse(row: string): boolean {
  return !row.startsWith("api_keys ");
}
