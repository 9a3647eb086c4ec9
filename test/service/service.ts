// The real service in a process of its own, as `npm start` runs it, in a data folder and on ports of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const projectRoot = resolve(import.meta.dirname, "../..");

/** The operator's key of the test services that have one. */
export const operatorKey = "sbo_operatoroperatoroperator";

/** How long a start may take on a busy machine, the build included. */
const startMs = 120_000;
/** An orderly end takes at most five seconds; past this it is a kill. */
const stopMs = 15_000;

/** The addresses and the key of a service. They travel from the global setup to the tests, so they are plain data. */
export interface ServiceAddress {
  /** The folder that holds all data. Tests may read it. */
  readonly data: string;
  /** Plain http, for the control API, the console, and the Kubernetes API with a bearer token. */
  readonly http: string;
  /** The URL that the kubeconfigs point at. */
  readonly https: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The key of the control API. */
  readonly apiKey: string;
  /** Path of the playground's kubeconfig. */
  readonly kubeconfig: string;
  /** The process id of the command that `npm start` runs. */
  readonly pid: number;
}

export interface ServiceOptions {
  /** A fresh temporary folder where left out; a given one is never deleted here. */
  readonly data?: string;
  readonly ports?: Ports;
  /** Further environment; `SANDBAR_KUBELET_DELAYS: "zero"` makes pods run at once. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Builds first. Only one service of a run may build, because all share the build folder. */
  readonly build?: boolean;
}

export interface Ports {
  readonly http: number;
  readonly https: number;
}

export interface RunningService {
  readonly address: ServiceAddress;
  /** All that it has printed so far. */
  output(): string;
  /** Ends it in an orderly way, and gives the time that took and the exit code. */
  stop(): Promise<{ tookMs: number; code: number | null }>;
  /** As a power cut: the service gets no chance to do anything. */
  kill(): Promise<void>;
}

export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), "sandbar-service-"));
  const ports = options.ports ?? (await freePorts());
  const { process: child, output, exited } = launch({ ...options, data, ports });
  await ready(child, output, exited);
  const remove = () => {
    if (!options.data) rmSync(data, { recursive: true, force: true });
  };
  return {
    address: addressOf(data, ports, child.pid ?? 0),
    output,
    stop: async () => {
      const startedMs = Date.now();
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopMs);
      const code = await exited;
      clearTimeout(timer);
      remove();
      return { tookMs: Date.now() - startedMs, code };
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
      remove();
    },
  };
}

/** Starts it and does not wait: for runs that are refused. */
export function launch({ data, ports, environment, build }: ServiceOptions & { data: string; ports: Ports }) {
  const child = spawn(process.execPath, [join(projectRoot, "scripts/start.cjs")], {
    cwd: projectRoot,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...withoutNpm(process.env),
      SANDBAR_DATA: data,
      SANDBAR_HTTP_PORT: String(ports.http),
      SANDBAR_HTTPS_PORT: String(ports.https),
      ...(build ? {} : { SANDBAR_SKIP_BUILD: "1" }),
      ...environment,
    },
  });
  const text = { value: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text.value += chunk.toString();
    });
  }
  const exited = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  return { process: child, output: () => text.value, exited };
}

/**
 * Returns two ports that were free a moment ago. They are below those that systems give to sockets without a port, which the processes of
 * other services take meanwhile.
 */
export async function freePorts(): Promise<Ports> {
  const ports: number[] = [];
  while (ports.length < 2) {
    const port = randomInt(20_000, 32_000);
    if (!ports.includes(port) && (await isFree(port))) ports.push(port);
  }
  const [http = 0, https = 0] = ports;
  return { http, https };
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((done) => {
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
  });
}

async function ready(child: ChildProcess, output: () => string, exited: Promise<number | null>): Promise<void> {
  const ended = { value: false };
  void exited.then(() => {
    ended.value = true;
  });
  const deadlineMs = Date.now() + startMs;
  while (!output().includes("Sandbar ready")) {
    if (ended.value) throw new Error(`the service ended before it was ready:\n${output()}`);
    if (Date.now() > deadlineMs) {
      child.kill("SIGKILL");
      throw new Error(`the service was not ready after ${startMs} ms:\n${output()}`);
    }
    await new Promise((done) => void setTimeout(done, 50));
  }
}

function addressOf(data: string, ports: Ports, pid: number): ServiceAddress {
  const keyPath = join(data, "api-key");
  return {
    data,
    pid,
    http: `http://127.0.0.1:${ports.http}`,
    https: `https://127.0.0.1:${ports.https}`,
    httpPort: ports.http,
    httpsPort: ports.https,
    apiKey: existsSync(keyPath) ? readFileSync(keyPath, "utf8").trim() : "",
    kubeconfig: join(data, "kubeconfig"),
  };
}

/** Returns the environment without npm's variables, so that the service does not watch npm's end. */
function withoutNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("npm_")));
}
