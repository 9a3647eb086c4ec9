// The control API as the console calls it: `/v1/sandboxes` and what is below, with the key of whoever signed in.
import type { ErrorBody } from "../../shared/contract/error.ts";
import type { CreateSandbox, Sandbox, SandboxList, SandboxWithToken } from "../../shared/contract/sandbox.ts";
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
  list(cursor?: string): Promise<SandboxList>;
  get(id: string): Promise<Sandbox>;
  create(input: CreateSandbox): Promise<SandboxWithToken>;
  remove(id: string): Promise<void>;
  kubeconfig(id: string): Promise<string>;
  viewToken(id: string, input: CreateToken): Promise<ViewToken>;
}

/** `refused` is told when the key is no longer taken. */
export function controlWith(key: string, refused: () => void = () => undefined): Control {
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await send(path, key, init);
    if (answer.ok) return answer;
    if (answer.status === 401) refused();
    throw await failureOf(answer);
  };
  // The API answers what its contract says.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T;
  const of = (id: string) => `/v1/sandboxes/${encodeURIComponent(id)}`;
  return {
    list: (cursor) => json(`/v1/sandboxes${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`),
    get: (id) => json(of(id)),
    create: (input) => json("/v1/sandboxes", posting(input)),
    remove: async (id) => void (await ask(of(id), { method: "DELETE" })),
    kubeconfig: async (id) => (await ask(`${of(id)}/kubeconfig`)).text(),
    viewToken: (id, input) => json(`${of(id)}/tokens`, posting(input)),
  };
}

/** What to show of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function posting(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function send(path: string, key: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } });
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
