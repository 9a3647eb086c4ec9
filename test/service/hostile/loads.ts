// Loads of one tenant that are each within its limits and together keep a process busy: many commands, probes, readers, managers, watchers.
import { connect, type Socket } from "node:net";
import type { TestSandbox } from "../sandbox.ts";
import type { Tenant } from "./tenant.ts";

export interface Load {
  readonly name: string;
  /** Prepares the load before the measurement. */
  prepare(tenant: Tenant, sandbox: TestSandbox): Promise<void>;
  /** Runs the load until the signal fires. Nothing is in flight when the promise resolves. */
  run(tenant: Tenant, sandbox: TestSandbox, signal: AbortSignal): Promise<void>;
}

const core = "/api/v1/namespaces/default";
const json = "application/json";
const apply = "application/apply-patch+yaml";

const pod = (name: string, spec: object, labels: object = {}) => JSON.stringify({ metadata: { name, labels }, spec });

/** Runs a body on so many lanes, each time with the next number, until the signal fires or the numbers have run out. */
async function lanes(count: number, signal: AbortSignal, most: number, body: (at: number) => Promise<unknown>) {
  let next = 0;
  const lane = async () => {
    while (!signal.aborted && next < most) await body(next++);
  };
  await Promise.all(Array.from({ length: count }, lane));
}

const always = new AbortController().signal;

/** A hundred commands that run Python loops without an end. */
const endlessPython: Load = {
  name: "100 commands of an endless loop in Python",
  async prepare({ send }) {
    const containers = [{ name: "main", image: "python:3.13", command: ["sleep", "1000000"] }];
    await send("POST", `${core}/pods`, pod("python", { containers }), json);
  },
  async run({ send }, _sandbox, signal) {
    const words = ["python3", "-c", "while True: pass"].map((word) => `command=${encodeURIComponent(word)}`);
    const path = `${core}/pods/python/exec?${words.join("&")}&stdout=1&stderr=1`;
    await lanes(100, signal, Number.POSITIVE_INFINITY, () => send("EXEC", path));
  },
};

/** Two hundred pods that loop, and are probed by commands each second. */
const loopingPods: Load = {
  name: "200 looping pods with exec probes",
  async prepare() {},
  async run({ send }, _sandbox, signal) {
    const loop = ["sh", "-c", "i=0; while true; do i=$((i+1)); echo $i > /tmp/count; done"];
    const exec = { command: ["sh", "-c", "for i in $(seq 1 500); do test -e /tmp/count; done"] };
    const probe = { exec, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 1000 };
    const more = { livenessProbe: probe, readinessProbe: probe };
    const containers = [{ name: "main", image: "busybox", command: loop, ...more }];
    await lanes(10, signal, 200, (at) => send("POST", `${core}/pods`, pod(`loop-${at}`, { containers }), json));
    await untilAborted(signal);
    await send("DELETE", `${core}/pods?gracePeriodSeconds=0`);
  },
};

const listedObjects = 500;
/** Lists with a selector of seven thousand values, thirty at once. */
const longSelectors: Load = {
  name: "lists with a selector of 7,000 values, 30 at once",
  async prepare({ send }) {
    const data = { text: "x".repeat(2_000) };
    await lanes(10, always, listedObjects, (at) => {
      const metadata = { name: `listed-${at}`, labels: { a: `v${at}`, listed: "yes" } };
      return send("POST", `${core}/configmaps`, JSON.stringify({ metadata, data }), json);
    });
  },
  async run({ send }, _sandbox, signal) {
    const values = Array.from({ length: 7_000 }, (_, at) => `v${at}`).join(",");
    const path = `${core}/configmaps?labelSelector=${encodeURIComponent(`a in (${values})`)}`;
    await lanes(30, signal, Number.POSITIVE_INFINITY, () => send("GET", path));
  },
};

/** Server-side applies of one object by five hundred managers, each of a thousand keys. */
const manyManagers: Load = {
  name: "500 field managers of 1,000 keys",
  async prepare() {},
  async run({ send }, _sandbox, signal) {
    const data = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key-${at}`, "v"]));
    const body = (name: string) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
    await lanes(10, signal, Number.POSITIVE_INFINITY, (at) => {
      const name = `managed-${Math.floor(at / 500) % 4}`;
      return send("PATCH", `${core}/configmaps/${name}?fieldManager=m${at % 500}&force=true`, body(name), apply);
    });
  },
};

const slowWatchers: Load = {
  name: "1,100 slow watches and changes of 200 KB",
  async prepare() {},
  async run({ send }, sandbox, signal) {
    const sockets: Socket[] = [];
    // A process accepts a connection in about a millisecond, whatever comes after it: no more are opened than it can take.
    await lanes(5, signal, 1_100, async () => {
      sockets.push(await silentWatch(sandbox));
      await new Promise((done) => void setTimeout(done, 10));
    });
    try {
      await lanes(1, signal, 100, async (at) => {
        const text = String(at).repeat(200_000).slice(0, 200_000);
        const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "big" }, data: { text } });
        await send("PATCH", `${core}/configmaps/big?fieldManager=big&force=true`, body, apply);
      });
      await untilAborted(signal);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  },
};

/** Asks for a watch over a plain connection and never reads its answer. */
function silentWatch({ http, token }: TestSandbox): Promise<Socket> {
  const { hostname, port, pathname } = new URL(http);
  return new Promise((done) => {
    const socket = connect(Number(port), hostname, () => {
      const path = `${pathname}${core}/configmaps?watch=1`;
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`);
      done(socket);
    });
    socket.pause();
    socket.on("error", () => done(socket));
  });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}

export const loads: readonly Load[] = [endlessPython, loopingPods, longSelectors, manyManagers, slowWatchers];
