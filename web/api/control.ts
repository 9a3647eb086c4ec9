// The control API as the console calls it: with the key of whoever signed in, or with the cookie that the browser sends.
import type { ErrorBody } from "../../shared/contract/error.ts";
import type { CreateKey, KeyList, KeyWithSecret } from "../../shared/contract/key.ts";
import type { CreateSandbox, SandboxList, SandboxWithToken, ShownSandbox } from "../../shared/contract/sandbox.ts";
import type { Role } from "../../shared/contract/scope.ts";
import type { Me, PasskeyList, PatchMe, SessionList, SignInWays } from "../../shared/contract/sign-in.ts";
import type { InvitationList, InvitationWithLink, Member, MemberList } from "../../shared/contract/tenant.ts";
import type { CreateToken, ViewToken } from "../../shared/contract/token.ts";

/** What the API refused, or that it could not be reached (status 0). */
export class ControlFailure extends Error {
  override name = "ControlFailure";
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;

  constructor(status: number, { code, message, field }: ErrorBody["error"]) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

export interface Control {
  /** For what has a file of its own. Throws a `ControlFailure`. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
  list(cursor?: string): Promise<SandboxList>;
  /** Undefined where it has expired, was deleted or never was. */
  find(id: string): Promise<ShownSandbox | undefined>;
  create(input: CreateSandbox): Promise<SandboxWithToken>;
  remove(id: string): Promise<void>;
  kubeconfig(id: string): Promise<string>;
  viewToken(id: string, input: CreateToken): Promise<ViewToken>;
  signInWays(): Promise<SignInWays>;
  me(): Promise<Me>;
  changeMe(change: PatchMe): Promise<Me>;
  takeInvitation(invitation: string): Promise<Me>;
  passkeys(): Promise<PasskeyList>;
  removePasskey(id: string): Promise<void>;
  sessions(): Promise<SessionList>;
  /** `current` signs out. */
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
}

/** Without a key it is the browser's cookie that counts. `refused` is told when neither is taken any longer. */
export function controlWith(key: string | undefined, refused: () => void = () => undefined): Control {
  const ask = asking(key, refused);
  // The API answers what its contract says.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T;
  const remove = async (path: string) => void (await ask(path, { method: "DELETE" }));
  const of = (id: string) => `/v1/sandboxes/${encodeURIComponent(id)}`;
  return {
    ask,
    list: (cursor) => json(`/v1/sandboxes${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`),
    find: async (id) => {
      // A list is empty where the sandbox is gone, and no failed request, which browsers note as an error of the page.
      const { sandboxes } = await json<SandboxList>(`/v1/sandboxes?id=${encodeURIComponent(id)}`);
      return sandboxes.length > 0 ? json<ShownSandbox>(of(id)) : undefined;
    },
    create: (input) => json("/v1/sandboxes", posting(input)),
    remove: (id) => remove(of(id)),
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
  };
}

/** Requests of the API; what it refuses is thrown as a `ControlFailure`. */
export function asking(key: string | undefined, refused: () => void = () => undefined) {
  return async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await send(path, key, init);
    if (answer.ok) return answer;
    if (answer.status === 401) refused();
    throw await failureOf(answer);
  };
}

/** What to show of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function posting(body: unknown): RequestInit {
  return sending("POST", body);
}

function sending(method: string, body: unknown): RequestInit {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function send(path: string, key: string | undefined, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
  try {
    return await fetch(path, { ...init, headers });
  } catch {
    throw new ControlFailure(0, { code: "unreachable", message: "The service could not be reached." });
  }
}

async function failureOf(answer: Response): Promise<ControlFailure> {
  try {
    const body = (await answer.json()) as ErrorBody;
    return new ControlFailure(answer.status, body.error);
  } catch {
    const message = `The service answered ${answer.status}.`;
    return new ControlFailure(answer.status, { code: "unexpected", message });
  }
}
