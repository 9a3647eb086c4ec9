// Tests how the edge finds the cluster of a sandbox when a local service has several processes.
import { describe, expect, test } from "vitest";
import { processOf } from "../../shared/contract/hosted/processes.ts";
import type { Env } from "../../worker/env.ts";
import { isSandboxId } from "../../worker/edge/sandbox-id.ts";
import { clusterOf, newPlacedId, placeOfObject } from "../../worker/edge/service/processes.ts";

const secret = "s".repeat(64);

/** A namespace whose stubs print its name and the object's. The first calls of the objects fail. */
function namespace(name: string, failures = { left: 0 }) {
  const idFromName = (of: string) => ({ toString: () => `${name}/${of}` });
  const health = async () => {
    if (failures.left-- > 0) throw new Error("not found");
  };
  return { idFromName, get: (id: { toString(): string }) => ({ toString: () => id.toString(), health }) };
}

/** The bindings of the first of three processes, and the paths that Node was asked for. */
function bindings(processes = 3, failures = { left: 0 }) {
  const started: string[] = [];
  const env = {
    CLUSTERS: namespace("first"),
    CLUSTERS_1: namespace("second", failures),
    CLUSTERS_2: namespace("third", failures),
    SANDBAR_SECRET: secret,
    SANDBAR_PROCESSES: String(processes),
    SANDBAR_PROCESS: "0",
    OUTSIDE: {
      fetch: async (url: string) => {
        started.push(new URL(url).pathname);
        return new Response(null, { status: 204 });
      },
    },
  };
  // Only these bindings are used.
  return { env: env as unknown as Env, started };
}

/** Returns the function that finds a stub, as text. */
function stubOf(env: Parameters<typeof clusterOf>[0]): (name: string) => string {
  const cluster = clusterOf(env) as unknown as (name: string) => string | { toString(): string };
  return (name) => cluster(name).toString();
}

const names = Array.from({ length: 300 }, (_, at) => `sandbox-${at}`);

describe("clusterOf", () => {
  test("finds the cluster in the namespace of its process", () => {
    const { env } = bindings();
    const cluster = stubOf(env);
    const namespaces = ["first", "second", "third"];
    for (const name of names) expect(cluster(name)).toBe(`${namespaces[processOf(name, 3)]}/${name}`);
    expect(placeOfObject(env, "sandbox-1")).toEqual({
      process: processOf("sandbox-1", 3),
      objectId: cluster("sandbox-1"),
    });
  });

  test("has one namespace on the platform", () => {
    const { env } = bindings();
    const cluster = stubOf({ CLUSTERS: env.CLUSTERS });
    expect(names.every((name) => cluster(name) === `first/${name}`)).toBe(true);
  });
});

test("processOf spreads sandboxes evenly", () => {
  for (const processes of [1, 2, 3, 8]) {
    const counts = Array.from(
      { length: processes },
      (_, process) => names.filter((name) => processOf(name, processes) === process).length,
    );
    expect(Math.min(...counts)).toBeGreaterThan((0.5 * names.length) / processes);
  }
});

describe("newPlacedId", () => {
  test("gives each process a sandbox in turn, and starts the processes other than its own", async () => {
    const { env, started } = bindings();
    const ids: string[] = [];
    for (let at = 0; at < 6; at++) ids.push(await newPlacedId(env, { anonymousAccess: false }));
    const places = ids.map((id) => processOf(id, 3));
    expect(new Set(places.slice(0, 3)).size).toBe(3);
    expect(places.slice(3)).toEqual(places.slice(0, 3));
    expect(started).toEqual(places.filter((process) => process > 0).map((process) => `/processes/${process}`));
    for (const id of ids) expect(await isSandboxId(secret, id)).toBe(true);
  });

  test("waits until the process that was started is reached", async () => {
    const failures = { left: 2 };
    const { env } = bindings(3, failures);
    for (let at = 0; at < 3; at++) await newPlacedId(env, { anonymousAccess: false });
    expect(failures.left).toBeLessThan(0);
  });

  test("sends no request if there is one process", async () => {
    const { env, started } = bindings(1);
    await newPlacedId(env, { anonymousAccess: true });
    expect(started).toEqual([]);
  });
});

describe("the place of objects", () => {
  const placed = (name: string) => ({
    ...namespace(name),
    get: (id: unknown, options: unknown) => `${String(id)} ${JSON.stringify(options)}`,
    jurisdiction: (place: string) => placed(`${place}-${name}`),
  });
  const env = (more: Partial<Env>) => ({ CLUSTERS: placed("first"), ...more }) as unknown as Env;

  test("is the service's jurisdiction for every cluster, because a name elsewhere is another object", () => {
    expect(stubOf(env({ SANDBAR_JURISDICTION: "eu" }))("a")).toBe("eu-first/a {}");
    expect(placeOfObject(env({ SANDBAR_JURISDICTION: "eu" }), "a").objectId).toBe("eu-first/a");
    expect(stubOf(env({ SANDBAR_JURISDICTION: "" }))("a")).toBe("first/a {}");
  });

  test("is a region as a hint for new clusters", () => {
    expect(stubOf(env({ SANDBAR_LOCATION: "weur" }))("a")).toBe('first/a {"locationHint":"weur"}');
  });
});
