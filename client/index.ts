// The client of the control API, for Node, browsers and Workers. Its methods are the operations of the OpenAPI document.
import { type Ask, asking, type Page, type SandbarOptions } from "./ask.ts";
import { Classes } from "./classes.ts";
import { Embed } from "./embed.ts";
import { Learner } from "./learner.ts";
import { Lti } from "./lti.ts";
import { Operator } from "./operator.ts";
import { People } from "./people.ts";
import { below, type Requests, requestsOf } from "./requests.ts";
import { TimeAxis } from "./time-axis.ts";
import type * as T from "./types.ts";

export { solveChallenge } from "./work.ts";
export { Classes } from "./classes.ts";
export { Embed } from "./embed.ts";
export { Learner } from "./learner.ts";
export { Lti } from "./lti.ts";
export { Operator } from "./operator.ts";
export { People } from "./people.ts";
export { TimeAxis } from "./time-axis.ts";
export { type Page, SandbarError, type SandbarOptions } from "./ask.ts";
export type * from "./types.ts";

export interface SandboxFilter {
  readonly id?: string;
  readonly name?: string;
  /** Each must hold; the value "" is one. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Creating {
  /** Waits until the workloads are available; the answer's `notReady` says which are not in time. */
  readonly wait?: boolean;
  readonly waitSeconds?: number;
  /** The same request with the same key gets the same answer for a day. Default: one that nobody else has. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

const stateType = "application/vnd.sandbar.state";
const defaultUrl = "http://localhost:8787";

export class Sandbar {
  /** Without a slash at its end. */
  readonly url: string;
  readonly #ask: Ask;
  readonly #json: Requests["get"];
  readonly #post: Requests["post"];
  readonly #patch: Requests["patch"];
  readonly #delete: Requests["remove"];

  constructor(options: SandbarOptions = {}) {
    const { SANDBAR_URL, SANDBAR_API_KEY } = environment();
    this.url = (options.url ?? SANDBAR_URL ?? defaultUrl).replace(/\/+$/, "");
    const key = options.key ?? SANDBAR_API_KEY;
    this.#ask = asking({ ...options, url: this.url, ...(key === undefined ? {} : { key }) });
    ({ get: this.#json, post: this.#post, patch: this.#patch, remove: this.#delete } = requestsOf(this.#ask));
  }

  async health(): Promise<string> {
    return (await this.#ask("/healthz")).text();
  }

  openApi(): Promise<Record<string, unknown>> {
    return this.#json("/v1/openapi.json");
  }

  async createSandbox(input: T.CreateSandbox = {}, creating: Creating = {}): Promise<T.SandboxWithToken> {
    const { idempotencyKey, signal } = creating;
    const question = { method: "POST", body: input, query: waiting(creating), idempotencyKey, signal } as const;
    return (await this.#ask("/v1/sandboxes", question)).json() as Promise<T.SandboxWithToken>;
  }

  /** Of a state that `exportState` wrote. */
  async createSandboxOfState(
    state: Uint8Array<ArrayBuffer>,
    options: Pick<T.CreateSandbox, "name" | "description" | "ttlSeconds"> = {},
    creating: Creating = {},
  ): Promise<T.SandboxWithToken> {
    const { idempotencyKey, signal } = creating;
    const query = { ...options, ...waiting(creating) };
    const question = { method: "POST", body: state, type: stateType, query, idempotencyKey, signal } as const;
    return (await this.#ask("/v1/sandboxes", question)).json() as Promise<T.SandboxWithToken>;
  }

  /** A page; `nextCursor` leads to the next. */
  listSandboxes({ labels = {}, ...page }: SandboxFilter & Page = {}): Promise<T.SandboxList> {
    return this.#json("/v1/sandboxes", { ...page, label: labelWords(labels) });
  }

  /** All of them, page by page. */
  async *allSandboxes(filter: SandboxFilter = {}): AsyncGenerator<T.Sandbox, void, void> {
    let cursor: string | undefined;
    do {
      const page: T.SandboxList = await this.listSandboxes({ ...filter, ...(cursor ? { cursor } : {}) });
      yield* page.sandboxes;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /** With its token, where the key has `sandboxes:connect`. */
  getSandbox(id: string): Promise<T.ShownSandbox> {
    return this.#json(at(id));
  }

  changeSandbox(id: string, change: T.PatchSandbox): Promise<T.ShownSandbox> {
    return this.#patch(at(id), change);
  }

  async deleteSandbox(id: string): Promise<void> {
    await this.#ask(at(id), { method: "DELETE" });
  }

  /** Deletes the sandboxes that have all of these labels, some in each request, and returns their ids. */
  async deleteSandboxes(labels: Readonly<Record<string, string>>): Promise<string[]> {
    const deleted: string[] = [];
    for (let hasMore = true; hasMore; ) {
      const answer = await this.#ask("/v1/sandboxes", { method: "DELETE", query: { label: labelWords(labels) } });
      // The contract's.
      const page = (await answer.json()) as T.SandboxDeletion;
      deleted.push(...page.deleted);
      hasMore = page.hasMore;
    }
    return deleted;
  }

  resetSandbox(id: string, input: T.ResetSandbox = {}): Promise<T.ResetAnswer> {
    return this.#post(at(id, "reset"), input);
  }

  /** Replaces the administrator's token. The answer has the new one, where the key has `sandboxes:connect`. */
  rotateToken(id: string, input: T.RotateToken = {}): Promise<T.ShownSandbox> {
    return this.#post(at(id, "rotate"), input);
  }

  /** `moment`: a resource version or a time, of which kubectl sees the sandbox, read-only. */
  async getKubeconfig(id: string, moment?: string): Promise<string> {
    return (await this.#ask(at(id, "kubeconfig"), moment === undefined ? {} : { query: { at: moment } })).text();
  }

  listAuditEvents(id: string): Promise<T.AuditEventList> {
    return this.#json(at(id, "audit"));
  }

  /** Of a `user`; without one, for looking only. */
  createToken(id: string, input: T.CreateToken & { user: string }): Promise<T.UserToken>;
  createToken(id: string, input?: T.CreateToken & { user?: never }): Promise<T.ViewToken>;
  createToken(id: string, input: T.CreateToken = {}): Promise<T.UserToken | T.ViewToken> {
    return this.#post(at(id, "tokens"), input);
  }

  listTokens(id: string): Promise<T.TokenList> {
    return this.#json(at(id, "tokens"));
  }

  async revokeToken(id: string, token: string): Promise<void> {
    await this.#ask(at(id, "tokens", token), { method: "DELETE" });
  }

  createSnapshot(id: string, input: T.CreateSnapshot = {}): Promise<T.Snapshot> {
    return this.#post(at(id, "snapshots"), input);
  }

  /** Of a sandbox, or of all, also of those that are gone. */
  listSnapshots({ sandbox, ...page }: Page & { readonly sandbox?: string } = {}): Promise<T.SnapshotList> {
    return this.#json(sandbox === undefined ? "/v1/snapshots" : at(sandbox, "snapshots"), { ...page });
  }

  getSnapshot(snapshot: string): Promise<T.Snapshot> {
    return this.#json(`/v1/snapshots/${encodeURIComponent(snapshot)}`);
  }

  async deleteSnapshot(snapshot: string): Promise<void> {
    await this.#ask(`/v1/snapshots/${encodeURIComponent(snapshot)}`, { method: "DELETE" });
  }

  restoreSandbox(id: string, from: T.RestoreSandbox): Promise<T.Restored> {
    return this.#post(at(id, "restore"), from);
  }

  forkSandbox(id: string, input: T.ForkSandbox = {}): Promise<T.SandboxWithToken> {
    return this.#post(at(id, "fork"), input);
  }

  undo(id: string, input: T.UndoSandbox = {}): Promise<T.Undone> {
    return this.#post(at(id, "undo"), input);
  }

  /** Each a revision of the sandbox, `now`, or the id of a snapshot or a sandbox. */
  diffStates(id: string, from: string, to = "now"): Promise<T.StateDiff> {
    return this.#json(at(id, "diff"), { from, to });
  }

  /** Its history, the newest first: all of it, or of one object. */
  listChanges(id: string, query: T.ChangesQuery = {}): Promise<T.ChangeList> {
    return this.#json(at(id, "changes"), query);
  }

  /** The same, to be read. */
  async diffText(id: string, from: string, to = "now"): Promise<string> {
    return (await this.#ask(at(id, "diff"), { query: { from, to }, accept: "text/plain" })).text();
  }

  /** As YAML that `kubectl apply` takes. */
  async exportSandbox(id: string): Promise<string> {
    return (await this.#ask(at(id, "export"), { query: { format: "yaml" } })).text();
  }

  /** The whole state, for `createSandboxOfState`. */
  async exportState(id: string): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.#ask(at(id, "export"), { query: { format: "state" } });
    return new Uint8Array(await answer.arrayBuffer());
  }

  createTemplate(input: T.CreateTemplate): Promise<T.Template> {
    return this.#post("/v1/templates", input);
  }

  /** The newest version of each, or all of one. */
  listTemplates(name?: string): Promise<T.TemplateList> {
    return this.#json("/v1/templates", { name });
  }

  /** `name`, or `name@version`. */
  getTemplate(template: string): Promise<T.TemplateWithParts> {
    return this.#json(below("/v1/templates", template));
  }

  deleteTemplate(template: string): Promise<void> {
    return this.#delete(below("/v1/templates", template));
  }

  getUsage(query: T.UsageQuery = {}): Promise<T.Usage> {
    return this.#json("/v1/usage", { ...query });
  }

  /** The same as a table. */
  async usageCsv(query: T.UsageQuery = {}): Promise<string> {
    return (await this.#ask("/v1/usage", { query: { ...query, format: "csv" } })).text();
  }

  /** What the plan gives, and what of it is used. */
  getLimits(): Promise<T.Limits> {
    return this.#json("/v1/limits");
  }

  createWebhook(input: T.CreateWebhook): Promise<T.WebhookWithSecret> {
    return this.#post("/v1/webhooks", input);
  }

  listWebhooks(): Promise<T.WebhookList> {
    return this.#json("/v1/webhooks");
  }

  getWebhook(webhook: string): Promise<T.WebhookWithSecret> {
    return this.#json(below("/v1/webhooks", webhook));
  }

  changeWebhook(webhook: string, change: T.PatchWebhook): Promise<T.Webhook> {
    return this.#patch(below("/v1/webhooks", webhook), change);
  }

  deleteWebhook(webhook: string): Promise<void> {
    return this.#delete(below("/v1/webhooks", webhook));
  }

  testWebhook(webhook: string): Promise<T.TestDelivery> {
    return this.#post(below("/v1/webhooks", webhook, "test"));
  }

  listDeliveries(webhook: string): Promise<T.DeliveryList> {
    return this.#json(below("/v1/webhooks", webhook, "deliveries"));
  }

  /** The work that a trial asks for. */
  getTrialChallenge(): Promise<T.Challenge> {
    return this.#json("/v1/trial");
  }

  /** A small sandbox for who has no key; `solveChallenge` does the work. */
  createTrial(input: T.CreateTrial): Promise<T.SandboxWithToken> {
    return this.#post("/v1/trial", input);
  }

  /** For who runs the service, whose key the client has then. */
  get operator(): Operator {
    return new Operator(this.#ask);
  }

  /** Who asks, and what may be done. */
  getMe(): Promise<T.Me> {
    return this.#json("/v1/me");
  }

  createKey(input: T.CreateKey): Promise<T.KeyWithSecret> {
    return this.#post("/v1/keys", input);
  }

  listKeys(): Promise<T.KeyList> {
    return this.#json("/v1/keys");
  }

  revokeKey(key: string): Promise<void> {
    return this.#delete(`/v1/keys/${encodeURIComponent(key)}`);
  }

  /** For pages: it may be read by everybody. */
  createPublishableKey(input: T.CreatePublishableKey): Promise<T.PublishableKey> {
    return this.#post("/v1/publishable-keys", input);
  }

  listPublishableKeys(): Promise<T.PublishableKeyList> {
    return this.#json("/v1/publishable-keys");
  }

  revokePublishableKey(key: string): Promise<void> {
    return this.#delete(below("/v1/publishable-keys", key));
  }

  /** How the frame at an address is put into a page. */
  getOembed(url: string, query: { maxwidth?: number; maxheight?: number } = {}): Promise<T.Oembed> {
    return this.#json("/v1/oembed", { url, ...query });
  }

  /** Learning management systems that launch lessons. */
  get lti(): Lti {
    return new Lti(this.#ask);
  }

  /** For the frame in somebody's page, which embed.js makes. */
  get embed(): Embed {
    return new Embed(this.#ask);
  }

  getTenant(): Promise<T.Tenant> {
    return this.#json("/v1/tenant");
  }

  changeTenant(change: T.PatchTenant): Promise<T.Tenant> {
    return this.#patch("/v1/tenant", change);
  }

  /** With its keys, sandboxes and snapshots. */
  deleteTenant(): Promise<void> {
    return this.#delete("/v1/tenant");
  }

  listMembers(): Promise<T.MemberList> {
    return this.#json("/v1/members");
  }

  changeMember(member: string, change: T.PatchMember): Promise<T.Member> {
    return this.#patch(`/v1/members/${encodeURIComponent(member)}`, change);
  }

  removeMember(member: string): Promise<void> {
    return this.#delete(`/v1/members/${encodeURIComponent(member)}`);
  }

  createInvitation(input: T.CreateInvitation = {}): Promise<T.InvitationWithLink> {
    return this.#post("/v1/invitations", input);
  }

  listInvitations(): Promise<T.InvitationList> {
    return this.#json("/v1/invitations");
  }

  withdrawInvitation(invitation: string): Promise<void> {
    return this.#delete(`/v1/invitations/${encodeURIComponent(invitation)}`);
  }

  /** Who did what: the newest first, a page at a time. */
  listAudit(page: Page = {}): Promise<T.AuditList> {
    return this.#json("/v1/audit", { ...page });
  }

  /** For people, in a page of the service's own: signing in, passkeys, sessions, organisations. */
  get people(): People {
    return new People(this.#ask);
  }

  /** The next version, unless it is the same as the newest. */
  publishLesson(lesson: T.CreateLesson): Promise<T.LessonInfo> {
    return this.#post("/v1/lessons", lesson);
  }

  listLessons(): Promise<T.LessonList> {
    return this.#json("/v1/lessons");
  }

  getLesson(name: string, version?: number): Promise<T.LessonWithDocument> {
    return this.#json(ofLesson(name), { version });
  }

  async deleteLesson(name: string): Promise<void> {
    await this.#ask(ofLesson(name), { method: "DELETE" });
  }

  listResults(name: string, page: Page & { learner?: string } = {}): Promise<T.ResultList> {
    return this.#json(ofLesson(name, "results"), { ...page });
  }

  /** The same page as CSV. */
  async resultsCsv(name: string, page: Page & { learner?: string } = {}): Promise<string> {
    return (
      await this.#ask(ofLesson(name, "results"), { query: { ...page, format: "csv" }, accept: "text/csv" })
    ).text();
  }

  /** A sandbox for a learner, with the address of a page of their own. `resume`: the one that they have, where its time is not up. */
  startRun(name: string, input: T.CreateRun): Promise<T.RunWithTokens> {
    return this.#post(ofLesson(name, "runs"), input);
  }

  /** `step`: whose page it has; one that the learner has come to. */
  getRun(name: string, run: string, step?: number): Promise<T.Run> {
    return this.#json(ofLesson(name, "runs", run), { step });
  }

  /** With its sandbox and what it has scored. */
  deleteRun(name: string, run: string): Promise<void> {
    return this.#delete(ofLesson(name, "runs", run));
  }

  /** The learner's page: whoever has the address is the learner. */
  linkRun(name: string, run: string, input: T.LinkRun = {}): Promise<T.RunLink> {
    return this.#post(ofLesson(name, "runs", run, "link"), input);
  }

  /** Grades the step that the learner is at; `version`: the run goes by that one from now on. */
  checkRun(name: string, run: string, version?: number): Promise<T.Run> {
    return this.#post(ofLesson(name, "runs", run, "check"), version === undefined ? {} : { version });
  }

  /** From its beginning; what it scored is gone. */
  resetRun(name: string, run: string): Promise<T.Run> {
    return this.#post(ofLesson(name, "runs", run, "reset"));
  }

  /** Links to lessons for many. */
  /** The clock of a sandbox, its timeline, and what its objects wait for. */
  get time(): TimeAxis {
    return new TimeAxis(this.#ask);
  }

  get classes(): Classes {
    return new Classes(this.#ask);
  }

  /** For learners' pages: the client's key is the learner's token then. */
  get learner(): Learner {
    return new Learner(this.#ask);
  }

  answerRun(name: string, run: string, answer: string): Promise<T.Run> {
    return this.#post(ofLesson(name, "runs", run, "answer"), { answer });
  }

  restartStep(name: string, run: string): Promise<T.Run> {
    return this.#post(ofLesson(name, "runs", run, "restart"));
  }

  /** `step` begins with 1. */
  skipToStep(name: string, run: string, step: number): Promise<T.Run> {
    return this.#post(ofLesson(name, "runs", run, "skip"), { step });
  }

  /** Where a sandbox's Kubernetes API is on the service's own address: plain http where the service is. */
  clusterUrl(id: string): string {
    return `${this.url}/c/${encodeURIComponent(id)}`;
  }
}

function labelWords(labels: Readonly<Record<string, string>>): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

function at(id: string, ...more: string[]): string {
  return below("/v1/sandboxes", id, ...more);
}

function ofLesson(name: string, ...more: string[]): string {
  return below("/v1/lessons", name, ...more);
}

function waiting({ wait, waitSeconds }: Creating): Record<string, string | number | undefined> {
  return wait ? { wait: "ready", waitSeconds } : {};
}

/** Browsers and Workers have none. */
function environment(): Readonly<Record<string, string | undefined>> {
  return typeof process === "undefined" ? {} : process.env;
}
