// An operator on this machine, as a sandbox's pod would run it: with a kubeconfig, a service account's files and the variables that
// `rest.InClusterConfig` reads. It is killed where a fault of the sandbox disconnects it, and starts again.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbar } from "../index.ts";
import { kubeconfigOf } from "./kubeconfig.ts";
import { releaseLocks } from "./locks.ts";
import { activityOf } from "./process-activity.ts";

export interface OperatorOptions {
  readonly client: Sandbar;
  readonly sandbox: string;
  /** The program and its arguments. `{port}` in an argument is replaced by a free port. */
  readonly command: readonly string[];
  /** The name of the user that the operator authenticates as. */
  readonly user: string;
  readonly groups: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** The file for its output, which is replaced. Undefined: the output of this process. */
  readonly log?: string | undefined;
  /** Receives what happens to the process, for people. */
  say(text: string): void;
}

const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
const mountScript = 'mount --bind "$SANDBAR_ACCOUNT_FOLDER" "$0" && exec "$@"';
/** The pause before a process that ended by itself starts again. */
const restartMs = 500;
const waitSeconds = 20;

export class OperatorProcess {
  readonly #options: OperatorOptions;
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #over = new AbortController();
  #child: ChildProcess | undefined;
  #startedMs: number | undefined;
  /** Reports whether the process has computed since the last call. */
  readonly isComputing = activityOf(() => this.#child?.pid);
  /** The number of starts, and of ends that no fault caused. */
  starts = 0;
  exits = 0;

  private constructor(options: OperatorOptions, folder: string, environment: NodeJS.ProcessEnv) {
    this.#options = options;
    this.#folder = folder;
    this.#environment = environment;
  }

  /** Writes the files of an operator. It does not start it. */
  static async prepare(options: OperatorOptions): Promise<OperatorProcess> {
    const { client, sandbox, user, groups, environment, log } = options;
    if (log !== undefined) rmSync(log, { force: true });
    const { server, ca } = await client.getSandbox(sandbox);
    const { token } = await client.createToken(sandbox, { user, groups: [...groups] });
    const folder = mkdtempSync(join(tmpdir(), "sandbar-operator-"));
    const account = join(folder, "serviceaccount");
    mkdirSync(account);
    writeFileSync(join(account, "token"), token, { mode: 0o600 });
    writeFileSync(join(account, "ca.crt"), ca ?? "");
    writeFileSync(join(account, "namespace"), "default");
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, kubeconfigOf({ server, ca, token }), { mode: 0o600 });
    // The token names the sandbox, so the address needs no path.
    const { hostname, port } = new URL(server);
    return new OperatorProcess(options, folder, {
      ...environment,
      KUBECONFIG: kubeconfig,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port === "" ? "443" : port,
      SANDBAR_ACCOUNT_FOLDER: account,
    });
  }

  /** Starts the process, unless `stop` was called. */
  async start(): Promise<void> {
    const { command, log } = this.#options;
    const port = command.some((word) => word.includes("{port}")) ? await freePort() : 0;
    if (this.#over.signal.aborted) return;
    const words = command.map((word) => word.replaceAll("{port}", String(port)));
    const [program = "", ...rest] = canMount()
      ? ["unshare", "-m", "sh", "-c", mountScript, accountFolder, ...words]
      : words;
    const output = log === undefined ? "inherit" : openSync(log, "a");
    // A group of its own, so that what it has started ends with it.
    const child = spawn(program, rest, { env: this.#environment, stdio: ["ignore", output, output], detached: true });
    this.#child = child;
    this.starts += 1;
    this.#startedMs = Date.now();
    child.once("error", (error) => this.#options.say(`the operator cannot be started: ${error.message}`));
    child.once("exit", (code, signal) => void this.#ended(child, signal ?? String(code)));
  }

  /** The time of the last start in milliseconds; undefined between the end of the process and its next start. */
  get startedMs(): number | undefined {
    return this.#child === undefined || this.#child.exitCode !== null ? undefined : this.#startedMs;
  }

  /** Kills the process wherever a fault disconnects it, and starts it again. Resolves when `stop` is called. */
  async follow(): Promise<void> {
    const { client, sandbox } = this.#options;
    const { signal } = this.#over;
    for (let since = 0; !signal.aborted; ) {
      const { faults, injections } = await client.time.getFaults(sandbox, { since, waitSeconds });
      since = injections.at(-1)?.number ?? since;
      const crashes = faults.filter(({ action, state }) => action === "disconnect" && state === "active");
      if (crashes.length > 0 && !signal.aborted) await this.crash(crashes.map(({ name }) => name));
    }
  }

  /** Kills the process, releases its locks, ends the faults that disconnected it, and starts it again. */
  async crash(faults: readonly string[]): Promise<void> {
    const { client, sandbox } = this.#options;
    this.#kill();
    await Promise.all([
      releaseLocks(client, sandbox),
      ...faults.map((name) => client.time.deleteFaults(sandbox, name)),
    ]);
    this.#options.say(`fault ${faults.join(", ")}: the operator was killed and starts again`);
    await this.start();
  }

  stop(): void {
    this.#over.abort();
    this.#kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #kill(): void {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has ended meanwhile.
    }
  }

  async #ended(child: ChildProcess, how: string): Promise<void> {
    // A killed process is not restarted here.
    if (this.#child !== child) return;
    this.exits += 1;
    this.#options.say(`the operator ended (${how}) and starts again`);
    await new Promise((resolve) => void setTimeout(resolve, restartMs));
    if (this.#child === child && !this.#over.signal.aborted) await this.start();
  }
}

let mounts: boolean | undefined;

/** Reports whether a process can have service account files of its own: on Linux, as root. */
function canMount(): boolean {
  if (mounts !== undefined) return mounts;
  try {
    if (process.platform === "linux") mkdirSync(accountFolder, { recursive: true });
    mounts = spawnSync("unshare", ["-m", "mount", "--bind", tmpdir(), accountFolder]).status === 0;
  } catch {
    mounts = false;
  }
  return mounts;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
