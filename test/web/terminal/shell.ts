// A shell of the terminal beside a small cluster, without a page.
import { SteppedClock } from "../../../shared/base/clock.ts";
import { seededRandom } from "../../../shared/base/random.ts";
import { type Files, memoryFiles } from "../../../web/kubectl/files.ts";
import { newKubectl } from "../../../web/kubectl/kubectl.ts";
import type { Surroundings } from "../../../web/kubectl/surroundings.ts";
import { TerminalProcess } from "../../../web/terminal/shell/budget.ts";
import { forward } from "../../../web/terminal/shell/forward.ts";
import { Jobs } from "../../../web/terminal/shell/jobs.ts";
import { History } from "../../../web/terminal/shell/line/history.ts";
import { runLine } from "../../../web/terminal/shell/line/run-line.ts";
import { host } from "../../../web/terminal/shell/programs.ts";
import { home, type TerminalState, newShell } from "../../../web/terminal/shell/shell.ts";
import { Collected, Interrupted, newReader, textSource } from "../../../web/terminal/shell/streams.ts";

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];

const schemas = {
  Pod: {
    properties: {
      spec: { properties: { containers: { items: { properties: { image: { type: "string" }, name: {} } } } } },
    },
    "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
  },
};

function resource(name: string, kind: string, shortName: string, scope = "Namespaced") {
  return {
    resource: name,
    responseKind: { group: "", version: "v1", kind },
    scope,
    singularResource: kind.toLowerCase(),
    shortNames: [shortName],
    verbs,
  };
}

const core = {
  metadata: { name: "" },
  versions: [
    {
      version: "v1",
      resources: [resource("pods", "Pod", "po"), resource("namespaces", "Namespace", "ns", "Cluster")],
    },
  ],
};

/** Pods `web-1`, `web-2` and `db` of the namespace `shop`, and a pod's page behind its proxy. */
export async function smallCluster(path: string, init: RequestInit = {}): Promise<Response> {
  const { pathname, searchParams } = new URL(path, "http://cluster");
  if (pathname === "/api") return json({ kind: "APIGroupDiscoveryList", items: [core] });
  if (pathname === "/apis") return json({ kind: "APIGroupDiscoveryList", items: [] });
  const pod = (name: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop" },
    status: { phase: "Running" },
  });
  if (pathname === "/api/v1/namespaces/shop/pods" && searchParams.has("watch")) return endless(init.signal);
  if (pathname === "/api/v1/namespaces/shop/pods")
    return json({ kind: "PodList", apiVersion: "v1", items: ["web-1", "web-2", "db"].map(pod) });
  if (pathname === "/api/v1/namespaces/shop/pods/web-1")
    return json({ ...pod("web-1"), spec: { containers: [{ name: "main" }] } });
  if (pathname === "/openapi/v3/api/v1") return json({ components: { schemas } });
  if (pathname === "/api/v1/namespaces/shop/pods/web-1/log") return endless(init.signal);
  if (pathname === "/api/v1/namespaces/shop/pods/web-1:80/proxy/") return new Response("<h1>Hello</h1>\n");
  return json({ kind: "Status", reason: "NotFound", message: `${pathname} not found`, code: 404 }, 404);
}

/** Sends a line, soon another one, and then nothing until the client disconnects. */
function endless(signal: AbortSignal | null | undefined): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("first line\n"));
      const second = setTimeout(() => controller.enqueue(new TextEncoder().encode("second line\n")), 20);
      signal?.addEventListener("abort", () => clearTimeout(second));
      signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
    },
  });
  return new Response(body);
}

export function surroundings(
  files: Files = memoryFiles({ [`${home}/`]: "" }, home),
): Omit<Surroundings, "edit" | "forward"> {
  return {
    fetch: smallCluster,
    socket: () => {
      throw new Error("no socket");
    },
    context: { name: "c", cluster: "c", user: "u", server: "https://c", namespace: "shop" },
    files,
    clock: new SteppedClock(),
    random: seededRandom(1),
    wait: (ms, signal) =>
      new Promise((done) => {
        const timer = setTimeout(done, Math.min(ms, 1));
        signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
      }),
  };
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs texts in sequence in the same shell. */
export function shellWith(entries: Readonly<Record<string, string>> = {}) {
  const homeEntries = Object.fromEntries(Object.entries(entries).map(([name, text]) => [`${home}/${name}`, text]));
  const around = surroundings(memoryFiles({ [`${home}/`]: "", "/tmp/": "", ...homeEntries }, home));
  let turns = 0;
  const forwarded = new Map<number, string>();
  const machine: TerminalState = {
    kubectl: newKubectl({ ...around, forward: (port, signal) => forward(forwarded, port, signal) }),
    device: {
      size: () => ({ columns: 80, rows: 24 }),
      key: () => Promise.reject(new Interrupted()),
      edit: () => Promise.resolve(undefined),
    },
    history: new History(),
    jobs: new Jobs(),
    forwarded,
    isTurnOver: () => ++turns % 100 === 0,
    yieldToPage: async (signal) => {
      // Timers have their turn.
      await new Promise((done) => setImmediate(done));
      if (signal.aborted) throw new Interrupted();
    },
  };
  const shell = newShell(machine, new TerminalProcess(new AbortController().signal), host);
  const run = async (text: string, input = "", signal = AbortSignal.timeout(20_000)): Promise<Ran> => {
    const out = new Collected();
    const err = new Collected();
    const code = await runLine(shell, text, { input: newReader(textSource(input)), out, err, signal });
    return { code, out: out.take(), err: err.take() };
  };
  return { shell, run, files: around.files };
}
