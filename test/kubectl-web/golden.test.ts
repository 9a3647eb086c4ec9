// The page's kubectl writes what the real one wrote: each recorded scene is played over a whole cluster in this process, on a stepped clock.
// Scenes with sockets are played only against the service.
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../shared/base/random.ts";
import { handle } from "../../worker/api/handler.ts";
import { commands } from "../../web/kubectl/catalogue.ts";
import { memoryFiles } from "../../web/kubectl/files.ts";
import { newKubectl } from "../../web/kubectl/kubectl.ts";
import { adminToken, newServer } from "../api/server.ts";
import { readGolden } from "../service/kubectl-web/golden.ts";
import {
  normalOutcome,
  type Outcome,
  play,
  runOurs,
  type Scene,
  type SceneCluster,
  slugOf,
  stepsOf,
} from "../service/kubectl-web/play.ts";
import { scenes } from "../service/kubectl-web/scenes/all.ts";

const startMs = Date.parse("2026-09-01T00:00:00Z");
const caPem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const server = "https://127.0.0.1:6443";
/** A watch without events ends after so much time of the cluster. */
const watchMs = 30_000;
/** The longest interval between two polls of a command. */
const pollMs = 2_000;
/** The scenes that open sockets to containers. They run only against the service. */
const needsSockets = ["exec", "cp debug forward top", "exam containers"];

interface InProcessCluster extends SceneCluster {
  step(ms: number): void;
  /** Resolves when the cluster's clock has reached the time, or on abort. A wait longer than `pollMs` is a deadline, which moves no clock. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  readonly clock: { nowMs(): number };
}

function newSceneCluster(): InProcessCluster {
  const { cluster, service, bugs } = newServer({ base: "layered", systemPods: true, caPem, nowMs: startMs });
  const deadlines = new Map<() => void, number>();
  const step = (ms: number) => {
    cluster.step(ms);
    for (const [resolve, atMs] of deadlines) if (atMs <= cluster.clock.nowMs()) resolve();
  };
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${adminToken}`);
    if (init.body && !headers.has("content-type")) headers.set("content-type", "application/json");
    const response = await handle(service, new Request(`${server}${path}`, { ...init, headers }));
    expect(bugs).toEqual([]);
    return response;
  };
  return {
    id: "scene-sandbox-id",
    // As long as the recorded names, because the widths of columns are compared.
    name: "sandbox-scenes",
    clock: cluster.clock,
    step,
    fetch: async (path, init) => {
      step(20);
      const isWatch = new URL(path, server).searchParams.has("watch");
      for (let waitedMs = 0; ; waitedMs += 500) {
        const response = await send(path, init);
        if (!isWatch || !response.ok || waitedMs >= watchMs) return response;
        const body = await response.text();
        if (body !== "") return new Response(body, response);
        step(500);
      }
    },
    pause: async (ms) => step(ms),
    wait: async (ms, signal) => {
      if (ms <= pollMs) return step(ms);
      const deadline = Promise.withResolvers<void>();
      deadlines.set(deadline.resolve, cluster.clock.nowMs() + ms);
      signal.addEventListener("abort", () => deadline.resolve(), { once: true });
      await deadline.promise;
      deadlines.delete(deadline.resolve);
    },
  };
}

async function playInProcess(scene: Scene): Promise<Outcome[]> {
  const cluster = newSceneCluster();
  const namespace = `l-${slugOf(scene)}`;
  const files = Object.entries(scene.files ?? {}).map(([name, text]) => [`/home/${name}`, text] as const);
  const kubectl = newKubectl({
    fetch: (path, init) => cluster.fetch(path, init),
    socket: () => {
      throw new Error("no socket");
    },
    context: {
      name: cluster.name,
      cluster: cluster.name,
      user: cluster.name,
      server: `${server}/c/${cluster.id}`,
      namespace,
    },
    files: memoryFiles(Object.fromEntries(files), "/home"),
    clock: cluster.clock,
    random: seededRandom(1),
    wait: (ms, signal) => cluster.wait(ms, signal),
  });
  const outcomes = await play(scene, cluster, async (line, input) => {
    const outcome = await runOurs(line, input, kubectl);
    cluster.step(200);
    return outcome;
  });
  return outcomes.map((outcome) => normalOutcome(outcome, cluster, namespace));
}

describe("K6: the console's kubectl and recordings of the real kubectl", () => {
  const played = scenes.filter(({ name }) => !needsSockets.includes(name));

  test("K6: every command is recorded, except an editor and a running server", () => {
    expect(needsSockets.filter((name) => !scenes.some((scene) => scene.name === name))).toEqual([]);
    const lines = scenes.flatMap((scene) => stepsOf(scene).map(({ line }) => line.split(" ")));
    const recorded = new Set(lines.flatMap(([first = "", second = ""]) => [first, `${first} ${second}`]));
    const names = commands.flatMap(({ name, commands: subcommands = [] }) => [
      name,
      ...subcommands.map((subcommand) => `${name} ${subcommand.name}`),
    ]);
    expect(names.filter((name) => !recorded.has(name))).toEqual(["edit", "proxy"]);
  });

  test.each(played.map((scene) => [scene.name, scene] as const))("K6: %s", async (_name, scene) => {
    const recorded = readGolden(scene);
    const outcomes = await playInProcess(scene);
    const steps = stepsOf(scene);
    const comparable = (all: readonly Outcome[]) =>
      steps.map(({ line, as = (text) => text }, at) => {
        const { code, stdout, stderr } = all[at] ?? { code: null, stdout: "", stderr: "" };
        return { line, code, stdout: as(stdout), stderr: as(stderr) };
      });
    expect(comparable(outcomes)).toEqual(comparable(recorded));
  });
});
