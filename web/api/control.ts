// The console's client of the control API, authenticated by the user's key or by the browser's cookie.
import type { ErrorBody } from "../../shared/contract/error.ts";
import type { AuditList } from "../../shared/contract/control-audit.ts";
import type { StandingShown } from "../../shared/contract/hosted/plan.ts";
import type { Usage } from "../../shared/contract/hosted/usage.ts";
import type { CreatePreview, Preview } from "../../shared/contract/cluster/preview.ts";
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
  PatchSandbox,
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
import { ControlFailure, messageOf } from "./control-failure.ts";
import { fetchOwn } from "./fetching.ts";
import { type Upload, uploadOwn } from "./upload.ts";
import { texts as all } from "../messages/service.ts";

const texts = all.control;

export type Control = ReturnType<typeof controlWith>;

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
export function controlWith(key: string | undefined, refused: () => void = () => undefined) {
  const ask = asking(key, refused);
  // The response conforms to the contract of the API.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T;
  const remove = async (path: string) => void (await ask(path, { method: "DELETE" }));
  const of = (id: string) => `/v1/sandboxes/${encodeURIComponent(id)}`;
  return {
    /** Sends any request to the API. Throws a `ControlFailure` on a refusal. */
    ask,
    /** Sends a file to the API, with progress. Throws a `ControlFailure` on a refusal. */
    upload: async (upload: Upload) =>
      checked(await uploadOwn({ ...upload, headers: { ...upload.headers, ...authorization(key) } }), refused),
    list: (cursor?: string, limit = 100) =>
      json<SandboxList>(`/v1/sandboxes?limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`),
    /** Returns undefined if the sandbox expired, was deleted or never existed. */
    find: async (id: string): Promise<ShownSandbox | undefined> => {
      // A list is requested because browsers log a 404 for a deleted sandbox as an error of the page.
      const { sandboxes } = await json<SandboxList>(`/v1/sandboxes?id=${encodeURIComponent(id)}`);
      return sandboxes.length > 0 ? json<ShownSandbox>(of(id)) : undefined;
    },
    create: (input: CreateSandbox) => json<SandboxWithToken>("/v1/sandboxes", posting(input)),
    remove: (id: string) => remove(of(id)),
    changeSandbox: (id: string, change: PatchSandbox) => json<ShownSandbox>(of(id), sending("PATCH", change)),
    rotate: (id: string, options: RotateToken) => json<ShownSandbox>(`${of(id)}/rotate`, posting(options)),
    kubeconfig: async (id: string) => (await ask(`${of(id)}/kubeconfig`)).text(),
    viewToken: (id: string, input: CreateToken) => json<ViewToken>(`${of(id)}/tokens`, posting(input)),
    preview: (id: string, input: CreatePreview) => json<Preview>(`${of(id)}/previews`, posting(input)),
    signInWays: () => json<SignInWays>("/v1/sign-in"),
    me: () => json<Me>("/v1/me"),
    changeMe: (change: PatchMe) => json<Me>("/v1/me", sending("PATCH", change)),
    takeInvitation: (invitation: string) => json<Me>("/v1/me/memberships", posting({ invitation })),
    passkeys: () => json<PasskeyList>("/v1/me/passkeys"),
    removePasskey: (id: string) => remove(`/v1/me/passkeys/${encodeURIComponent(id)}`),
    sessions: () => json<SessionList>("/v1/me/sessions"),
    /** Ends a session. `current` signs the user out. */
    endSession: (id: string) => remove(`/v1/me/sessions/${encodeURIComponent(id)}`),
    keys: () => json<KeyList>("/v1/keys"),
    createKey: (input: CreateKey) => json<KeyWithSecret>("/v1/keys", posting(input)),
    revokeKey: (id: string) => remove(`/v1/keys/${encodeURIComponent(id)}`),
    members: () => json<MemberList>("/v1/members"),
    changeMember: (id: string, role: Role) =>
      json<Member>(`/v1/members/${encodeURIComponent(id)}`, sending("PATCH", { role })),
    removeMember: (id: string) => remove(`/v1/members/${encodeURIComponent(id)}`),
    invitations: () => json<InvitationList>("/v1/invitations"),
    /** An e-mail address receives the link, if the service sends e-mail. */
    invite: (role: Role, email: string) =>
      json<InvitationWithLink>("/v1/invitations", posting({ role, ...(email ? { email } : {}) })),
    withdraw: (id: string) => remove(`/v1/invitations/${encodeURIComponent(id)}`),
    deleteMe: () => remove("/v1/me"),
    tenant: () => json<Tenant>("/v1/tenant"),
    changeTenant: (change: PatchTenant) => json<Tenant>("/v1/tenant", sending("PATCH", change)),
    deleteTenant: () => remove("/v1/tenant"),
    ...hosted(ask, json, remove),
  };
}

function hosted(
  ask: ReturnType<typeof asking>,
  json: <T>(path: string, init?: RequestInit) => Promise<T>,
  remove: (path: string) => Promise<void>,
) {
  const template = (ref: string) => `/v1/templates/${encodeURIComponent(ref)}`;
  const webhook = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`;
  return {
    /** Reads the usage between UTC days (`2026-11-22`). `by` groups rows by sandbox and day, or by day. */
    usage: (query: UsageQuestion) => json<Usage>(`/v1/usage${usageQuery(query)}`),
    usageCsv: async (query: UsageQuestion) =>
      (await ask(`/v1/usage${usageQuery(query)}`, { headers: { accept: "text/csv" } })).text(),
    limits: () => json<StandingShown>("/v1/limits"),
    audit: (cursor?: string) => json<AuditList>(`/v1/audit${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`),
    /** Lists the newest version of each template, or all versions of one. */
    templates: (name?: string) => json<TemplateList>(`/v1/templates${name ? `?name=${encodeURIComponent(name)}` : ""}`),
    /** Reads a template by `name` or `name@version`. */
    template: (ref: string) => json<TemplateWithParts>(template(ref)),
    createTemplate: (input: CreateTemplate) => json<Template>("/v1/templates", posting(input)),
    removeTemplate: (ref: string) => remove(template(ref)),
    snapshots: () => json<SnapshotList>("/v1/snapshots"),
    webhooks: () => json<WebhookList>("/v1/webhooks"),
    /** Reads a webhook with its secret. */
    webhook: (id: string) => json<WebhookWithSecret>(webhook(id)),
    createWebhook: (input: CreateWebhook) => json<WebhookWithSecret>("/v1/webhooks", posting(input)),
    changeWebhook: (id: string, change: PatchWebhook) => json<Webhook>(webhook(id), sending("PATCH", change)),
    removeWebhook: (id: string) => remove(webhook(id)),
    testWebhook: (id: string) => json<TestDelivery>(`${webhook(id)}/test`, posting({})),
    deliveries: (id: string) => json<DeliveryList>(`${webhook(id)}/deliveries`),
    rotateWebhook: (id: string) => json<WebhookWithSecret>(`${webhook(id)}/rotate`, posting({})),
    redeliver: (id: string, delivery: string) =>
      json<TestDelivery>(`${webhook(id)}/deliveries/${encodeURIComponent(delivery)}/redeliver`, posting({})),
  };
}

/** Returns a function that sends requests to the API and throws refusals as `ControlFailure`. */
export function asking(key: string | undefined, refused: () => void = () => undefined) {
  return async (path: string, init: RequestInit = {}): Promise<Response> => {
    return checked(await send(path, key, init), refused);
  };
}

async function checked(answer: Response, refused: () => void): Promise<Response> {
  if (answer.ok) return answer;
  if (answer.status === 401) refused();
  throw await failureOf(answer);
}

/** Returns no header if the browser's cookie authenticates. */
function authorization(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

export function posting(body: unknown): RequestInit {
  return sending("POST", body);
}

export function sending(method: string, body: unknown): RequestInit {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function send(path: string, key: string | undefined, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(authorization(key))) headers.set(name, value);
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
