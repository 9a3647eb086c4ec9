// Reads without side effects: containers have the same effects for any number of reads, and no line of a log changes.
import { expect, test, vi } from "vitest";
import type { Container, PodSpec } from "../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { networkPolicies } from "../../worker/kinds/networking/network-policy.ts";
import type { Client } from "../../worker/registry/client.ts";
import { type Dice, diceOf } from "./dice.ts";
import { seeds } from "./seeds.ts";
import { World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

const namespace = "default";
const servers = ["red", "blue"] as const;
/** A Redis that clients write to. */
const store = "store";
const stepMs = 100;
/** How likely the object loses its memory in each step. */
const memoryLoss = 0.03;

type Action = (client: Client) => void;

/** Programs of clients that write to the store and read other clients' writes. */
const writers: readonly [string, ...string[]] = [
  `while true; do redis-cli -h ${store} incr n; sleep 1.1; done`,
  `for i in 1 2 3 4 5; do redis-cli -h ${store} rpush list "$HOSTNAME $i" || echo lost; sleep 0.9; done`,
  `until [ "$(redis-cli -h ${store} llen list)" -ge 3 ]; do echo waiting; sleep 1; done; redis-cli -h ${store} lrange list 0 -1`,
  `while true; do redis-cli -h ${store} get n; sleep 1.7; done`,
];

/** Programs of clients: each asks something of the cluster, again and again. */
const scripts = (server: string): readonly [string, ...string[]] => [
  `while true; do wget -q -T 1 -O- http://${server}/ 2>&1 || echo failed; sleep 1; done`,
  `i=0; while true; do i=$((i+1)); wget -q -T 1 -O- http://${server}/ >/dev/null 2>&1 && echo "$i ok" || echo "$i lost"; sleep 0.7; done`,
  `until nslookup ${server} >/dev/null 2>&1; do echo waiting; sleep 2; done; echo resolved; sleep 5; exit 3`,
  `while true; do cat /etc/data/value; echo " $VALUE"; sleep 1.3; done`,
  `for i in 1 2 3 4 5; do nslookup ${server} >/dev/null 2>&1 && echo there || echo absent; sleep 3; done`,
  `trap 'echo bye; exit 0' TERM; while true; do nc -z -w 1 ${server} 80 && echo open || echo closed; sleep 2; done`,
];

function clientPod(name: string, script: string): PodSpec & { containers: Container[] } {
  const env = [{ name: "VALUE", valueFrom: { configMapKeyRef: { name: "data", key: "value" } } }];
  const volumeMounts = [{ name: "data", mountPath: "/etc/data" }];
  const image = script.includes("redis-cli") ? "redis:8" : "busybox:1.36";
  const main = { name, image, command: ["sh", "-c", script], env, volumeMounts };
  return {
    restartPolicy: "Never",
    volumes: [{ name: "data", configMap: { name: "data" } }],
    containers: [main],
  } as never;
}

function serverOf(name: string, version: number, replicas: number) {
  const labels = { app: name };
  const args = [`-text=${name} ${version}`, "-listen=:80"];
  const echo = { name: "main", image: "hashicorp/http-echo", args };
  const nginx = { name: "main", image: `nginx:1.2${6 + (version % 2)}` };
  const redis = { name: "main", image: "redis:8" };
  const template = {
    metadata: { labels },
    spec: { containers: [name === store ? redis : name === "blue" ? nginx : echo] },
  };
  return { metadata: { name, namespace }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

function serviceOf(name: string) {
  const ports = [{ port: name === store ? 6379 : 80 }];
  return { metadata: { name, namespace }, spec: { selector: { app: name }, ports } };
}

/** Draws a user's next action. A refused action, such as a second creation, has no effect. */
function draw(dice: Dice, version: number): Action {
  const server = dice.choose(...servers);
  const actions: readonly [Action, ...Action[]] = [
    (client) => {
      const { metadata } = serverOf(server, 0, 0);
      const current = client.get(deployments, namespace, metadata.name);
      if (current) client.update(deployments, { ...current, spec: { ...current.spec, replicas: version % 3 } });
    },
    (client) => {
      const current = client.get(deployments, namespace, server);
      if (!current) return;
      client.update(deployments, {
        ...current,
        spec: { ...current.spec, ...serverOf(server, version, 0).spec, replicas: current.spec.replicas ?? 1 },
      });
    },
    (client) => void client.tryDelete(services, namespace, server),
    (client) => void client.create(services, serviceOf(server)),
    (client) =>
      void client.create(networkPolicies, {
        metadata: { name: server, namespace },
        spec: { podSelector: { matchLabels: { app: server } } },
      }),
    (client) => void client.tryDelete(networkPolicies, namespace, server),
    (client) => void client.tryDelete(pods, namespace, `client-${version % 4}`, { gracePeriodSeconds: version % 3 }),
    (client) => {
      const [first] = client.list(pods, { namespace }).filter(({ metadata }) => metadata.labels?.["app"] === server);
      if (first) client.tryDelete(pods, namespace, first.metadata.name ?? "", { gracePeriodSeconds: version % 3 });
    },
    (client) => {
      const current = client.get(configMaps, namespace, "data");
      if (current) client.update(configMaps, { ...current, data: { value: `value ${version}` } });
    },
  ];
  return dice.choose(...actions);
}

interface Plan {
  readonly clients: ReadonlyMap<string, string>;
  readonly actions: readonly { readonly afterMs: number; readonly act: Action }[];
}

function planOf(seed: number): Plan {
  const dice = diceOf(seed);
  const count = 2 + dice.below(3);
  const clients = Array.from({ length: count }, (_, index): [string, string] => {
    return [
      `client-${index}`,
      dice.chance(0.5) ? dice.choose(...writers) : dice.choose(...scripts(dice.choose(...servers))),
    ];
  });
  const actions = Array.from({ length: 5 + dice.below(5) }, (_, index) => ({
    afterMs: (2 + dice.below(25)) * stepMs,
    act: draw(dice, index + 1),
  }));
  return { clients: new Map(clients), actions };
}

interface Reader {
  /** Reads in its own way at each tenth of a second. */
  look(world: World): Promise<void>;
}

/** Returns the logs of all containers, by what stays the same if names and uids are drawn anew: application, address, start. */
async function logsOf(world: World): Promise<Map<string, string>> {
  const logs = new Map<string, string>();
  for (const pod of world.client.list(pods, { namespace })) {
    const [main] = pod.spec.containers;
    if (!main) continue;
    const printed = await world.cluster.containers.printed(pod, main.name, { previous: false, follows: false });
    const lines = printed?.lines.slice(0, printed.count) ?? [];
    const { name = "", labels } = pod.metadata;
    const application = labels?.["app"];
    const restarts = pod.status.containerStatuses?.[0]?.restartCount ?? 0;
    const key = [application ?? name, pod.status.podIP, pod.status.startTime, restarts].join("/");
    const text = lines.map((line) => `${line.atMs} ${line.text}\n`).join("");
    logs.set(key, application === undefined ? text : text.replaceAll(name, application));
  }
  return logs;
}

/** Returns what the store holds. */
async function storedIn(world: World): Promise<string> {
  const [pod] = world.client.list(pods, { namespace }).filter(({ metadata }) => metadata.labels?.["app"] === store);
  if (!pod) return "";
  const startMs = world.clock.nowMs();
  const words = ["sh", "-c", "redis-cli get n; redis-cli lrange list 0 -1"];
  const input = { typed: [], hasEnded: true, isTerminal: false };
  const command = { words, startMs, untilMs: startMs + 1000, input };
  const done = await world.cluster.containers.execute(pod, "main", command);
  return done && "chunks" in done ? done.chunks.map(({ text }) => text).join("") : "";
}

/** Plays a plan beside a reader, and returns the effects of all containers. */
async function play(seed: number, { look }: Reader): Promise<Record<string, unknown>> {
  const { clients, actions } = planOf(seed);
  const world = new World({ seed });
  // The object loses its memory at the same moments in every play: a node's next free address depends on it.
  const losses = diceOf(seed ^ 0x105e);
  const attempt = (act: Action) =>
    world.turn(() => {
      try {
        act(world.client);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    });
  attempt(
    (client) => void client.create(configMaps, { metadata: { name: "data", namespace }, data: { value: "value 0" } }),
  );
  for (const server of [...servers, store]) {
    attempt((client) => void client.create(deployments, serverOf(server, 0, 1)));
    attempt((client) => void client.create(services, serviceOf(server)));
  }
  world.pass(1500);
  for (const [name, script] of clients) {
    attempt((client) => void client.create(pods, { metadata: { name, namespace }, spec: clientPod(name, script) }));
  }
  for (const { afterMs, act } of actions) {
    for (let passed = 0; passed < afterMs; passed += stepMs) {
      world.pass(stepMs);
      await look(world);
      if (losses.chance(memoryLoss)) world.reopen();
    }
    // Readers look at whole tenths, users act between them.
    world.pass(37);
    attempt(act);
    world.pass(stepMs - 37);
  }
  world.pass(8000);
  const statuses = [...clients.keys()].map((name) => world.client.get(pods, namespace, name)?.status.containerStatuses);
  return { statuses, stored: await storedIn(world), logs: Object.fromEntries(await logsOf(world)) };
}

/** Reads with a probability, and requires that each log starts with its earlier contents. */
function readerOf(seed: number, likelihood: number): Reader {
  const dice = diceOf(seed ^ 0x1007);
  const before = new Map<string, string>();
  return {
    look: async (world) => {
      if (!dice.chance(likelihood)) return;
      for (const [name, log] of await logsOf(world)) {
        const earlier = before.get(name) ?? "";
        expect(log.startsWith(earlier), `${name} at ${world.clock.nowMs()}:\n${earlier}\nbecame\n${log}`).toBe(true);
        before.set(name, log);
      }
    },
  };
}

const failedOnce = [26, 39, 61, 64, 98, 258, 348, 460, 530, 563, 630, 716, 847, 855];

test.each(seeds(14, failedOnce))(
  "L5: seed %i: runs that are never read, read at random and read all the time have the same result",
  async (seed) => {
    const unread = await play(seed, { look: () => Promise.resolve() });
    expect(await play(seed, readerOf(seed, 0.05))).toEqual(unread);
    expect(await play(seed, readerOf(seed, 1))).toEqual(unread);
  },
);
