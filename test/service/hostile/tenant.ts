// The hostile tenant's way in: plain requests and execs to one sandbox, each with an end of its own.
import type { TestSandbox } from "../sandbox.ts";
import { control } from "../sandbox.ts";
import type { Send } from "./cases.ts";

/** A request that has no end by then is a failure of its own. */
const requestMs = 60_000;
/** The time after which the client leaves a running exec. */
const execMs = 5_000;

export interface Tenant {
  readonly send: Send;
  /** Answers that no client should get: a 500, or none at all. */
  readonly complaints: string[];
  /** How often each status was answered. */
  readonly statuses: Map<number, number>;
}

export function hostileTenant(sandbox: TestSandbox): Tenant {
  const complaints: string[] = [];
  const statuses = new Map<number, number>();
  const send: Send = async (method, path, body, contentType) => {
    if (method === "EXEC") {
      const done = await exec(sandbox, path);
      // A WebSocket hides the status of a refused upgrade, so the request is repeated without one.
      if (!done.hasOpened) await send("GET", path);
      return done;
    }
    const init = { method, body: body ?? null, signal: AbortSignal.timeout(requestMs) };
    const headers: Record<string, string> = contentType ? { "content-type": contentType } : {};
    try {
      const answer = path.startsWith("/v1/")
        ? await control(sandbox.service, path, { ...init, headers })
        : await sandbox.fetch(path, { ...init, headers });
      const text = await answer.text();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status >= 500 && ![503, 504, 507].includes(answer.status) && !isMissingContainer(text)) {
        complaints.push(`${method} ${path.slice(0, 100)} answered ${answer.status}: ${text.slice(0, 300)}`);
      }
      return { status: answer.status, text };
    } catch (error) {
      complaints.push(`${method} ${path.slice(0, 100)}: ${reasonOf(error)}`);
      return { status: 0, text: "" };
    }
  };
  return { send, complaints, statuses };
}

/** Reports whether a kubelet says, with 500 as upstream's, that a container does not run: a hostile case may end it. */
function isMissingContainer(text: string): boolean {
  return text.startsWith("container not found (");
}

async function exec(sandbox: TestSandbox, path: string) {
  const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(sandbox.token).toString("base64url")}`;
  const socket = new WebSocket(`${sandbox.http.replace(/^http/, "ws")}${path}`, ["v5.channel.k8s.io", bearer]);
  socket.binaryType = "arraybuffer";
  let bytes = 0;
  let hasOpened = false;
  socket.addEventListener("open", () => void (hasOpened = true));
  socket.addEventListener("message", ({ data }) => void (bytes += (data as ArrayBuffer).byteLength));
  await new Promise<void>((done) => {
    const timer = setTimeout(done, execMs);
    for (const event of ["close", "error"] as const) {
      socket.addEventListener(event, () => {
        clearTimeout(timer);
        done();
      });
    }
  });
  socket.close();
  return { status: 101, text: String(bytes), hasOpened };
}

/** Returns the cause of a failed `fetch`, whose own message says only that it failed. */
function reasonOf(error: unknown): string {
  return error instanceof Error
    ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ""}`
    : String(error);
}
