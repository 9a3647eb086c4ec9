// The console's client of the control API, authenticated by the user's key or by the browser's cookie.
import type { ErrorBody } from "../../shared/contract/error.ts";
import type { AuditList } from "../../shared/contract/control-audit.ts";
import type { StandingShown } from "../../shared/contract/hosted/plan.ts";
import type { Usage } from "../../shared/contract/hosted/usage.ts";
import type {
  CreateWebhook,
  DeliveryList,
  PatchWebhook,
  TestDelivery,
  Webhook,
  WebhookList,
  WebhookWithSecret,
} from "../../shared/contract/hosted/webhook.ts";
import type { CreateKey, KeyList, KeyWithSecret } from "../../shared/contract/key.ts";
import type {
  CreateSandbox,
  RotateToken,
  SandboxList,
  SandboxWithToken,
  ShownSandbox,
} from "../../shared/contract/sandbox.ts";
import type { Role } from "../../shared/contract/scope.ts";
import type { Me, PasskeyList, PatchMe, SessionList, SignInWays } from "../../shared/contract/sign-in.ts";
import type { SnapshotList } from "../../shared/contract/snapshot.ts";
import type { CreateTemplate, Template, TemplateList, TemplateWithParts } from "../../shared/contract/template.ts";
import type {
  InvitationList,
  InvitationWithLink,
  Member,
  MemberList,
  PatchTenant,
  Tenant,
} from "../../shared/contract/tenant.ts";
import type { CreateToken, ViewToken } from "../../shared/contract/token.ts";
import { fetchOwn } from "./fetching.ts";
import { texts as all } from "../messages/service.ts";

const texts = all.control;

/** A refusal of the API, or a failed connection (status 0). */
export class ControlFailure extends Error {
  override name = "ControlFailure";
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  readonly limit: ErrorBody["error"]["limit"];

  constructor(status: number, { code, message, field, limit }: ErrorBody["error"]) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.limit = limit;
  }
}

export interface Control {
  /** Sends any request to the API. Throws a `ControlFailure` on a refusal. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
  list(cursor?: string): Promise<SandboxList>;
  /** Returns undefined if the sandbox expired, was deleted or never existed. */
  find(id: string): Promise<ShownSandbox | undefined>;
  create(input: CreateSandbox): Promise<SandboxWithToken>;
  remove(id: string): Promise<void>;
  rotate(id: string, options: RotateToken): Promise<ShownSandbox>;
  kubeconfig(id: string): Promise<string>;
  viewToken(id: string, input: CreateToken): Promise<ViewToken>;
  signInWays(): Promise<SignInWays>;
  me(): Promise<Me>;
  changeMe(change: PatchMe): Promise<Me>;
  takeInvitation(invitation: string): Promise<Me>;
  passkeys(): Promise<PasskeyList>;
  removePasskey(id: string): Promise<void>;
  sessions(): Promise<SessionList>;
  /** Ends a session. `current` signs the user out. */
  endSession(id: string): Promise<void>;
  keys(): Promise<KeyList>;
  createKey(input: CreateKey): Promise<KeyWithSecret>;
  revokeKey(id: string): Promise<void>;
  members(): Promise<MemberList>;
  changeMember(id: string, role: Role): Promise<Member>;
  removeMember(id: string): Promise<void>;
  invitations(): Promise<InvitationList>;
  invite(role: Role): Promise<InvitationWithLink>;
  withdraw(id: string): Promise<void>;
  deleteMe(): Promise<void>;
  tenant(): Promise<Tenant>;
  changeTenant(change: PatchTenant): Promise<Tenant>;
  deleteTenant(): Promise<void>;
  /** Reads the usage between UTC days (`2026-11-22`). `by` groups rows by sandbox and day, or by day. */
  usage(query: UsageQuestion): Promise<Usage>;
  /** Reads the usage as CSV. */
  usageCsv(query: UsageQuestion): Promise<string>;
  limits(): Promise<StandingShown>;
  audit(cursor?: string): Promise<AuditList>;
  /** Lists the newest version of each template, or all versions of one. */
  templates(name?: string): Promise<TemplateList>;
  /** Reads a template by `name` or `name@version`. */
  template(ref: string): Promise<TemplateWithParts>;
  createTemplate(input: CreateTemplate): Promise<Template>;
  removeTemplate(ref: string): Promise<void>;
  snapshots(): Promise<SnapshotList>;
  webhooks(): Promise<WebhookList>;
  /** Reads a webhook with its secret. */
  webhook(id: string): Promise<WebhookWithSecret>;
  createWebhook(input: CreateWebhook): Promise<WebhookWithSecret>;
  changeWebhook(id: string, change: PatchWebhook): Promise<Webhook>;
  removeWebhook(id: string): Promise<void>;
  testWebhook(id: string): Promise<TestDelivery>;
  deliveries(id: string): Promise<DeliveryList>;
}

export interface UsageQuestion {
  readonly from?: string;
  readonly to?: string;
  readonly by?: "sandbox" | "day";
}

export function usageQuery({ from, to, by }: UsageQuestion): string {
  const all = Object.entries({ from, to, by }).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return all.length > 0 ? `?${new URLSearchParams(all).toString()}` : "";
}

/** Creates a client. Without a key, the browser's cookie authenticates. `refused` is called when the service no longer accepts either. */
export function controlWith(key: string | undefined, refused: () => void = () => undefined): Control {
  const ask = asking(key, refused);
  // The response conforms to the contract of the API.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T;
  const remove = async (path: string) => void (await ask(path, { method: "DELETE" }));
  const of = (id: string) => `/v1/sandboxes/${encodeURIComponent(id)}`;
  return {
    ask,
    list: (cursor) => json(`/v1/sandboxes${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`),
    find: async (id) => {
      // A list is requested because browsers log a 404 for a deleted sandbox as an error of the page.
      const { sandboxes } = await json<SandboxList>(`/v1/sandboxes?id=${encodeURIComponent(id)}`);
      return sandboxes.length > 0 ? json<ShownSandbox>(of(id)) : undefined;
    },
    create: (input) => json("/v1/sandboxes", posting(input)),
    remove: (id) => remove(of(id)),
    rotate: (id, options) => json(`${of(id)}/rotate`, posting(options)),
    kubeconfig: async (id) => (await ask(`${of(id)}/kubeconfig`)).text(),
    viewToken: (id, input) => json(`${of(id)}/tokens`, posting(input)),
    signInWays: () => json("/v1/sign-in"),
    me: () => json("/v1/me"),
    changeMe: (change) => json("/v1/me", sending("PATCH", change)),
    takeInvitation: (invitation) => json("/v1/me/memberships", posting({ invitation })),
    passkeys: () => json("/v1/me/passkeys"),
    removePasskey: (id) => remove(`/v1/me/passkeys/${encodeURIComponent(id)}`),
    sessions: () => json("/v1/me/sessions"),
    endSession: (id) => remove(`/v1/me/sessions/${encodeURIComponent(id)}`),
    keys: () => json("/v1/keys"),
    createKey: (input) => json("/v1/keys", posting(input)),
    revokeKey: (id) => remove(`/v1/keys/${encodeURIComponent(id)}`),
    members: () => json("/v1/members"),
    changeMember: (id, role) => json(`/v1/members/${encodeURIComponent(id)}`, sending("PATCH", { role })),
    removeMember: (id) => remove(`/v1/members/${encodeURIComponent(id)}`),
    invitations: () => json("/v1/invitations"),
    invite: (role) => json("/v1/invitations", posting({ role })),
    withdraw: (id) => remove(`/v1/invitations/${encodeURIComponent(id)}`),
    deleteMe: () => remove("/v1/me"),
    tenant: () => json("/v1/tenant"),
    changeTenant: (change) => json("/v1/tenant", sending("PATCH", change)),
    deleteTenant: () => remove("/v1/tenant"),
    ...hosted(ask, json, remove),
  };
}

type Hosted =
  | ("usage" | "usageCsv" | "limits" | "audit" | "snapshots")
  | ("templates" | "template" | "createTemplate" | "removeTemplate")
  | ("webhooks" | "webhook" | "createWebhook" | "changeWebhook" | "removeWebhook" | "testWebhook" | "deliveries");

function hosted(
  ask: ReturnType<typeof asking>,
  json: <T>(path: string, init?: RequestInit) => Promise<T>,
  remove: (path: string) => Promise<void>,
): Pick<Control, Hosted> {
  const template = (ref: string) => `/v1/templates/${encodeURIComponent(ref)}`;
  const webhook = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`;
  return {
    usage: (query) => json(`/v1/usage${usageQuery(query)}`),
    usageCsv: async (query) => (await ask(`/v1/usage${usageQuery(query)}`, { headers: { accept: "text/csv" } })).text(),
    limits: () => json("/v1/limits"),
    audit: (cursor) => json(`/v1/audit${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`),
    templates: (name) => json(`/v1/templates${name ? `?name=${encodeURIComponent(name)}` : ""}`),
    template: (ref) => json(template(ref)),
    createTemplate: (input) => json("/v1/templates", posting(input)),
    removeTemplate: (ref) => remove(template(ref)),
    snapshots: () => json("/v1/snapshots"),
    webhooks: () => json("/v1/webhooks"),
    webhook: (id) => json(webhook(id)),
    createWebhook: (input) => json("/v1/webhooks", posting(input)),
    changeWebhook: (id, change) => json(webhook(id), sending("PATCH", change)),
    removeWebhook: (id) => remove(webhook(id)),
    testWebhook: (id) => json(`${webhook(id)}/test`, posting({})),
    deliveries: (id) => json(`${webhook(id)}/deliveries`),
  };
}

/** Returns a function that sends requests to the API and throws refusals as `ControlFailure`. */
export function asking(key: string | undefined, refused: () => void = () => undefined) {
  return async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await send(path, key, init);
    if (answer.ok) return answer;
    if (answer.status === 401) refused();
    throw await failureOf(answer);
  };
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function posting(body: unknown): RequestInit {
  return sending("POST", body);
}

export function sending(method: string, body: unknown): RequestInit {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function send(path: string, key: string | undefined, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
  try {
    return await fetchOwn(path, { ...init, headers });
  } catch (error) {
    throw new ControlFailure(0, { code: "unreachable", message: messageOf(error) });
  }
}

async function failureOf(answer: Response): Promise<ControlFailure> {
  try {
    const body = (await answer.json()) as ErrorBody;
    return new ControlFailure(answer.status, body.error);
  } catch {
    const message = texts.unexpectedStatus(answer.status);
    return new ControlFailure(answer.status, { code: "unexpected", message });
  }
}
