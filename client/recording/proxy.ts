// Reads a real cluster through `kubectl proxy`, which knows every way of a kubeconfig to authenticate. The proxy listens on a socket in a
// private folder and refuses every method that writes.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Cluster {
  /** Sends a GET. Resolves when the headers have arrived. */
  get(path: string, options?: { readonly accept?: string; readonly signal?: AbortSignal }): Promise<IncomingMessage>;
  close(): void;
}

export interface ProxyOptions {
  /** The kubectl to run. */
  readonly kubectl: string;
  /** Arguments such as `--kubeconfig` and `--context`. */
  readonly arguments: readonly string[];
}

const startMs = 20_000;

/** Throws an error with kubectl's message if the proxy does not start. */
export async function openCluster({ kubectl, arguments: words }: ProxyOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "sandbar-capture-"));
  const socketPath = join(folder, "proxy");
  const rejected = "^(POST|PUT|PATCH|DELETE)$";
  const child = spawn(kubectl, [...words, "proxy", `--unix-socket=${socketPath}`, `--reject-methods=${rejected}`], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const close = () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await started(child, kubectl);
  } catch (error) {
    close();
    throw error;
  }
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const get: Cluster["get"] = (path, { accept = "application/json", signal } = {}) =>
    new Promise((done, fail) => {
      const options = { socketPath, path, agent, headers: { accept }, ...(signal ? { signal } : {}) };
      request(options, done).on("error", fail).end();
    });
  return { get, close };
}

function started(child: ChildProcess, kubectl: string): Promise<void> {
  return new Promise((done, fail) => {
    let text = "";
    const timer = setTimeout(() => fail(new Error(`kubectl proxy did not start: ${text.trim()}`)), startMs);
    const end = (error?: Error) => {
      clearTimeout(timer);
      if (error) fail(error);
      else done();
    };
    child.on("error", () => end(new Error(`${kubectl} cannot be run: install kubectl, or name it with --kubectl`)));
    child.on("exit", () => end(new Error(`kubectl proxy ended: ${text.trim()}`)));
    child.stderr?.on("data", (data: Buffer) => (text += data.toString()));
    child.stdout?.on("data", (data: Buffer) => {
      if (data.toString().includes("Starting to serve")) end();
    });
  });
}
