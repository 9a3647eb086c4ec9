// The client of the control API for Node, browsers and Workers. Its methods are the operations of the OpenAPI document.
import { type Ask, asking, type ListQuery, type Page, type SandbarOptions } from "./ask.ts";
import { Classes } from "./classes.ts";
import { matching, noting } from "./entity-tags.ts";
import { Embed } from "./embed.ts";
import { Events } from "./events.ts";
import { Learner } from "./learner.ts";
import { Lti } from "./lti.ts";
import { Operator } from "./operator.ts";
import { People } from "./people.ts";
import { at, below, environment, ofLesson, type Requests, requestsOf } from "./requests.ts";
import { creationBody, type Creating, labelWords, type SandboxFilter, waiting } from "./sandbox-options.ts";
import { TimeAxis } from "./time-axis.ts";
import type * as T from "./types.ts";

export { solveChallenge } from "./work.ts";
export { Classes } from "./classes.ts";
export { Embed } from "./embed.ts";
export { Events } from "./events.ts";
export { Learner } from "./learner.ts";
export { Lti } from "./lti.ts";
export { Operator, ServiceCopies } from "./operator.ts";
export { People } from "./people.ts";
export { TimeAxis } from "./time-axis.ts";
export type { Creating, SandboxFilter } from "./sandbox-options.ts";
export { type ListQuery, type Page, SandbarError, type SandbarOptions } from "./ask.ts";
export type * from "./types.ts";

const stateType = "application/vnd.sandbar.state";
const defaultUrl = "http://localhost:8787";

export class Sandbar {
  /** The address without a trailing slash. */
  readonly url: string;
  readonly #options: SandbarOptions;
  readonly #ask: Ask;
  readonly #json: Requests["get"];
  readonly #post: Requests["post"];
  readonly #patch: Requests["patch"];
  readonly #delete: Requests["remove"];

  constructor(options: SandbarOptions = {}) {
    const { SANDBAR_URL, SANDBAR_API_KEY } = environment();
    this.url = (options.url ?? SANDBAR_URL ?? defaultUrl).replace(/\/+$/, "");
    const key = options.key ?? SANDBAR_API_KEY;
    this.#options = { ...options, url: this.url, ...(key === undefined ? {} : { key }) };
    this.#ask = asking(this.#options);
    ({ get: this.#json, post: this.#post, patch: this.#patch, remove: this.#delete } = requestsOf(this.#ask));
  }

  /** Reads a resource with its ETag: `await sandbar.withEtag((client) => client.getSandbox(id))`. */
  async withEtag<A>(read: (client: Sandbar) => Promise<A>): Promise<{ readonly value: A; readonly etag: string }> {
    let etag = "";
    const note = (tag: string) => void (etag = tag);
    const value = await read(new Sandbar({ ...this.#options, fetch: noting(this.#fetch(), note) }));
    return { value, etag };
  }

  /** Returns a client whose writes are refused with 412 `precondition_failed` if the resource has another ETag. */
  ifMatch(etag: string): Sandbar {
    return new Sandbar({ ...this.#options, fetch: matching(this.#fetch(), etag) });
  }

  #fetch(): typeof globalThis.fetch {
    return this.#options.fetch ?? globalThis.fetch;
  }

  async health(): Promise<string> {
    return (await this.#ask("/healthz")).text();
  }

  openApi(): Promise<Record<string, unknown>> {
    return this.#json("/v1/openapi.json");
  }

  async createSandbox(input: T.CreateSandbox = {}, creating: Creating = {}): Promise<T.SandboxWithToken> {
    const { idempotencyKey, signal } = creating;
    const query = waiting(creating);
    const question = { method: "POST", ...creationBody(input, query), idempotencyKey, signal } as const;
    return (await this.#ask("/v1/sandboxes", question)).json() as Promise<T.SandboxWithToken>;
  }

  /** Creates a sandbox from a state that `exportState` wrote. */
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

  /** Returns a page; `nextCursor` leads to the next. */
  listSandboxes({
    labels = {},
    ...page
  }: SandboxFilter & Page & { readonly sort?: string } = {}): Promise<T.SandboxList> {
    return this.#json("/v1/sandboxes", { ...page, label: labelWords(labels) });
  }

  /** Yields all sandboxes, page by page. */
  async *allSandboxes(filter: SandboxFilter = {}): AsyncGenerator<T.Sandbox, void, void> {
    let cursor: string | undefined;
    do {
      const page: T.SandboxList = await this.listSandboxes({ ...filter, ...(cursor ? { cursor } : {}) });
      yield* page.sandboxes;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /** Returns a sandbox. Its token is included if the key has `sandboxes:connect`. */
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
      // The contract defines the answer.
      const page = (await answer.json()) as T.SandboxDeletion;
      deleted.push(...page.deleted);
      hasMore = page.hasMore;
    }
    return deleted;
  }

  resetSandbox(id: string, input: T.ResetSandbox = {}): Promise<T.ResetAnswer> {
    return this.#post(at(id, "reset"), input);
  }

  /** Replaces the administrator's token. The answer includes the new one if the key has `sandboxes:connect`. */
  rotateToken(id: string, input: T.RotateToken = {}): Promise<T.ShownSandbox> {
    return this.#post(at(id, "rotate"), input);
  }

  /** `moment`: a resource version or a time, at which kubectl sees the sandbox, read-only. */
  async getKubeconfig(id: string, moment?: string): Promise<string> {
    return (await this.#ask(at(id, "kubeconfig"), moment === undefined ? {} : { query: { at: moment } })).text();
  }

  listAuditEvents(id: string): Promise<T.AuditEventList> {
    return this.#json(at(id, "audit"));
  }

  /** Creates a token of a `user`; without a user, a view token. */
  createToken(id: string, input: T.CreateToken & { user: string }): Promise<T.UserToken>;
  createToken(id: string, input?: T.CreateToken & { user?: never }): Promise<T.ViewToken>;
  createToken(id: string, input: T.CreateToken = {}): Promise<T.UserToken | T.ViewToken> {
    return this.#post(at(id, "tokens"), input);
  }

  listTokens(id: string, page: ListQuery = {}): Promise<T.TokenList> {
    return this.#json(at(id, "tokens"), page);
  }
  async revokeToken(id: string, token: string): Promise<void> {
    await this.#ask(at(id, "tokens", token), { method: "DELETE" });
  }

  createPreview(id: string, input: T.CreatePreview): Promise<T.Preview> {
    return this.#post(at(id, "previews"), input);
  }
  createSnapshot(id: string, input: T.CreateSnapshot = {}): Promise<T.Snapshot> {
    return this.#post(at(id, "snapshots"), input);
  }

  /** Lists snapshots of a sandbox, or of all sandboxes, including deleted ones. */
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

  /** Compares two states. Each is a revision of the sandbox, `now`, or the id of a snapshot or a sandbox. */
  diffStates(id: string, from: string, to = "now"): Promise<T.StateDiff> {
    return this.#json(at(id, "diff"), { from, to });
  }

  /** Lists changes, the newest first: all of them, or those of one object. */
  listChanges(id: string, query: T.ChangesQuery = {}): Promise<T.ChangeList> {
    return this.#json(at(id, "changes"), query);
  }

  /** Returns the comparison as text for people. */
  async diffText(id: string, from: string, to = "now"): Promise<string> {
    return (await this.#ask(at(id, "diff"), { query: { from, to }, accept: "text/plain" })).text();
  }

  /** Returns YAML for `kubectl apply`. */
  async exportSandbox(id: string): Promise<string> {
    return (await this.#ask(at(id, "export"), { query: { format: "yaml" } })).text();
  }

  /** Returns the complete state, for `createSandboxOfState`. */
  async exportState(id: string): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.#ask(at(id, "export"), { query: { format: "state" } });
    return new Uint8Array(await answer.arrayBuffer());
  }

  createTemplate(input: T.CreateTemplate): Promise<T.Template> {
    return this.#post("/v1/templates", input);
  }

  /** Lists the newest version of each template, or all versions of one. */
  listTemplates(name?: string): Promise<T.TemplateList> {
    return this.#json("/v1/templates", { name });
  }

  /** `template`: `name`, or `name@version`. */
  getTemplate(template: string): Promise<T.TemplateWithParts> {
    return this.#json(below("/v1/templates", template));
  }

  deleteTemplate(template: string): Promise<void> {
    return this.#delete(below("/v1/templates", template));
  }

  getUsage(query: T.UsageQuery = {}): Promise<T.Usage> {
    return this.#json("/v1/usage", { ...query });
  }

  async usageCsv(query: T.UsageQuery = {}): Promise<string> {
    return (await this.#ask("/v1/usage", { query: { ...query, format: "csv" } })).text();
  }

  /** Returns the limits of the plan, and how much of them is used. */
  getLimits(): Promise<T.Limits> {
    return this.#json("/v1/limits");
  }

  createWebhook(input: T.CreateWebhook): Promise<T.WebhookWithSecret> {
    return this.#post("/v1/webhooks", input);
  }

  listWebhooks(page: ListQuery = {}): Promise<T.WebhookList> {
    return this.#json("/v1/webhooks", page);
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

  /** Replaces the secret; the one before signs, too, until `previousSecretUntil`. */
  rotateWebhook(webhook: string): Promise<T.WebhookWithSecret> {
    return this.#post(below("/v1/webhooks", webhook, "rotate"));
  }

  redeliver(webhook: string, delivery: string): Promise<T.TestDelivery> {
    return this.#post(below("/v1/webhooks", webhook, "deliveries", delivery, "redeliver"));
  }

  listDeliveries(webhook: string, page: ListQuery = {}): Promise<T.DeliveryList> {
    return this.#json(below("/v1/webhooks", webhook, "deliveries"), page);
  }

  /** The event stream. */
  get events(): Events {
    return new Events(this.#ask);
  }

  /** Returns the proof of work that a trial requires. */
  getTrialChallenge(): Promise<T.Challenge> {
    return this.#json("/v1/trial");
  }

  /** Creates a small sandbox without a key. `solveChallenge` computes the answer. */
  createTrial(input: T.CreateTrial): Promise<T.SandboxWithToken> {
    return this.#post("/v1/trial", input);
  }

  /** Operations of the service's operator, with the operator's key. */
  get operator(): Operator {
    return new Operator(this.#ask);
  }

  /** Returns the tenant and person of the key, and its scopes. */
  getMe(): Promise<T.Me> {
    return this.#json("/v1/me");
  }

  createKey(input: T.CreateKey): Promise<T.KeyWithSecret> {
    return this.#post("/v1/keys", input);
  }

  listKeys(page: ListQuery = {}): Promise<T.KeyList> {
    return this.#json("/v1/keys", page);
  }

  revokeKey(key: string): Promise<void> {
    return this.#delete(`/v1/keys/${encodeURIComponent(key)}`);
  }

  /** Creates a key for public pages, which everybody may read. */
  createPublishableKey(input: T.CreatePublishableKey): Promise<T.PublishableKey> {
    return this.#post("/v1/publishable-keys", input);
  }

  listPublishableKeys(page: ListQuery = {}): Promise<T.PublishableKeyList> {
    return this.#json("/v1/publishable-keys", page);
  }

  revokePublishableKey(key: string): Promise<void> {
    return this.#delete(below("/v1/publishable-keys", key));
  }

  /** Returns how the frame of an address is embedded. */
  getOembed(url: string, query: { maxwidth?: number; maxheight?: number } = {}): Promise<T.Oembed> {
    return this.#json("/v1/oembed", { url, ...query });
  }

  /** Learning management systems that launch lessons. */
  get lti(): Lti {
    return new Lti(this.#ask);
  }

  /** Operations of the frame that embed.js creates in an embedding page. */
  get embed(): Embed {
    return new Embed(this.#ask);
  }

  getTenant(): Promise<T.Tenant> {
    return this.#json("/v1/tenant");
  }

  changeTenant(change: T.PatchTenant): Promise<T.Tenant> {
    return this.#patch("/v1/tenant", change);
  }

  /** Deletes the tenant with its keys, sandboxes and snapshots. */
  deleteTenant(): Promise<void> {
    return this.#delete("/v1/tenant");
  }

  listMembers(page: ListQuery = {}): Promise<T.MemberList> {
    return this.#json("/v1/members", page);
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

  listInvitations(page: ListQuery = {}): Promise<T.InvitationList> {
    return this.#json("/v1/invitations", page);
  }

  withdrawInvitation(invitation: string): Promise<void> {
    return this.#delete(`/v1/invitations/${encodeURIComponent(invitation)}`);
  }

  /** Lists audit entries, the newest first, a page at a time. */
  listAudit(page: Page = {}): Promise<T.AuditList> {
    return this.#json("/v1/audit", { ...page });
  }

  /** Operations of people in the service's own pages: signing in, passkeys, sessions, organisations. */
  get people(): People {
    return new People(this.#ask);
  }

  /** Publishes the next version, unless the lesson equals the newest one. */
  publishLesson(lesson: T.CreateLesson): Promise<T.LessonInfo> {
    return this.#post("/v1/lessons", lesson);
  }

  listLessons(page: ListQuery = {}): Promise<T.LessonList> {
    return this.#json("/v1/lessons", page);
  }

  getLesson(name: string, version?: number): Promise<T.LessonWithDocument> {
    return this.#json(ofLesson(name), { version });
  }

  deleteLesson(name: string): Promise<void> {
    return this.#delete(ofLesson(name));
  }

  listResults(name: string, page: Page & T.ResultFilter = {}): Promise<T.ResultList> {
    return this.#json(ofLesson(name, "results"), { ...page });
  }

  async resultsCsv(name: string, page: Page & T.ResultFilter = {}): Promise<string> {
    return (
      await this.#ask(ofLesson(name, "results"), { query: { ...page, format: "csv" }, accept: "text/csv" })
    ).text();
  }

  /**
   * Creates a sandbox for a learner, with the address of the learner's page. `resume`: returns the learner's existing run if it has not
   * expired.
   */
  startRun(name: string, input: T.CreateRun): Promise<T.RunWithTokens> {
    return this.#post(ofLesson(name, "runs"), input);
  }

  /** `step`: the step whose page is included. The learner must have reached it. */
  getRun(name: string, run: string, step?: number): Promise<T.Run> {
    return this.#json(ofLesson(name, "runs", run), { step });
  }

  /** Deletes a run with its sandbox and scores. */
  deleteRun(name: string, run: string): Promise<void> {
    return this.#delete(ofLesson(name, "runs", run));
  }

  /** Returns a link to the learner's page. The link signs in as the learner. */
  linkRun(name: string, run: string, input: T.LinkRun = {}): Promise<T.RunLink> {
    return this.#post(ofLesson(name, "runs", run, "link"), input);
  }

  /** Grades the learner's current step. `version`: switches the run to that version of the lesson. */
  checkRun(name: string, run: string, version?: number): Promise<T.Run> {
    return this.#post(ofLesson(name, "runs", run, "check"), version === undefined ? {} : { version });
  }

  /** Starts a run again, and deletes its scores. `step`: goes back to that step, and the points of earlier ones remain. */
  resetRun(name: string, run: string, step?: number): Promise<T.Run> {
    return this.#post(ofLesson(name, "runs", run, "reset"), step === undefined ? {} : { step });
  }

  /** The clock of a sandbox, its timeline, and what its objects wait for. */
  get time(): TimeAxis {
    return new TimeAxis(this.#ask);
  }

  get classes(): Classes {
    return new Classes(this.#ask);
  }

  /** Operations of a learner's page. The client's key is then the learner's token. */
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

  /** Returns the address of a sandbox's Kubernetes API below the service's own address, with the same scheme. */
  clusterUrl(id: string): string {
    return `${this.url}/c/${encodeURIComponent(id)}`;
  }
}
