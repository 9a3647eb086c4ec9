// Creation: names, versions and the metadata that only the server sets.
import { describe, expect, test } from "vitest";
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import type { AdmissionPlugin } from "../../worker/registry/admission.ts";
import { create } from "../../worker/registry/create.ts";
import { actor, configMapKind, deploymentKind, draftOf, newBed, nodeKind, refusal } from "./bed.ts";

const maps = configMapKind();

describe("R9: server metadata of a new object", () => {
  test("are uid, time and version, whatever the client sends", () => {
    const bed = newBed([maps]);
    const { metadata } = bed.create(maps, {
      metadata: {
        name: "a",
        uid: "mine",
        creationTimestamp: "2020-01-01T00:00:00Z",
        deletionTimestamp: "2020-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
        selfLink: "/x",
        labels: { kept: "yes" },
      },
    });
    const { managedFields: _, ...rest } = metadata;
    expect(rest).toEqual({
      name: "a",
      namespace: "default",
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      creationTimestamp: rfc3339(bed.clock.nowMs()),
      resourceVersion: "1",
      labels: { kept: "yes" },
    });
    expect(metadata.uid).not.toBe(bed.create(maps, { metadata: { name: "b" } }).metadata.uid);
  });

  test("include a generation of 1 if the kind has generations", () => {
    const counted = deploymentKind({ raisesGeneration: () => true });
    const bed = newBed([counted, maps]);
    expect(bed.create(counted, { metadata: { name: "a" } }).metadata.generation).toBe(1);
    expect(bed.create(maps, { metadata: { name: "a" } }).metadata).not.toHaveProperty("generation");
  });

  test("include no managers for admission if no fields are set", () => {
    const managedFields: unknown[] = [];
    const plugin: AdmissionPlugin = { name: "Look", mutate: ({ object }) => void managedFields.push(object?.metadata) };
    newBed([maps], { plugins: () => [plugin] }).create(maps, { metadata: { name: "a" } });
    expect(managedFields).toEqual([expect.not.objectContaining({ managedFields: expect.anything() })]);
  });

  test("include the apiVersion and kind of the path", () => {
    const bed = newBed([maps]);
    const draft = { ...draftOf(maps, { metadata: { name: "a" } }), apiVersion: "", kind: "" };
    expect(create(bed.registry, maps, "default", draft, actor)).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
  });

  test("include the request's namespace, and another one is rejected, also after admission", () => {
    const bed = newBed([maps]);
    const [code, , message] = refusal(() => bed.create(maps, { metadata: { name: "a", namespace: "other" } }));
    expect([code, message]).toEqual([
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
    expect(bed.create(maps, { metadata: { name: "a" } }).metadata.namespace).toBe("default");
    const moving = newBed([maps], {
      plugins: () => [{ name: "Move", mutate: ({ object }) => void (object && (object.metadata.namespace = "other")) }],
    });
    expect(refusal(() => moving.create(maps, { metadata: { name: "a" } }))[0]).toBe(400);
  });

  test("exclude the namespace of a cluster-scoped object", () => {
    const nodes = nodeKind();
    const bed = newBed([nodes]);
    expect(bed.create(nodes, { metadata: { name: "n", namespace: "x" } }).metadata).not.toHaveProperty("namespace");
    expect(bed.writes[0]?.key).toEqual({ resource: "nodes", namespace: "", name: "n" });
  });

  test.for([
    ["7", 400],
    ["0", 201],
    ["", 201],
    ["12", 400],
    ["abc", 201],
    ["0x10", 201],
    ["1e5", 201],
  ] as const)(
    "with the resourceVersion %j are answered with %d, and the version is not stored",
    ([resourceVersion, code]) => {
      const bed = newBed([maps]);
      const createMap = () => bed.create(maps, { metadata: { name: "a", resourceVersion } });
      if (code === 201) {
        expect(createMap().metadata.resourceVersion).toBe("1");
        return;
      }
      expect(refusal(createMap)).toEqual([
        400,
        "BadRequest",
        "resourceVersion should not be set on objects to be created",
      ]);
      expect(bed.registry.store.revision).toBe(0);
      expect(bed.create(maps, { metadata: { name: "a", resourceVersion } }, { dryRun: true }).metadata.name).toBe("a");
    },
  );
});

describe("R9: the name of a new object", () => {
  test("is a 409 if it is taken, and the message says if the existing object is being deleted", () => {
    const bed = newBed([maps]);
    const value = { metadata: { name: "a", finalizers: ["x.io/y"] } };
    bed.create(maps, value);
    const text = 'configmaps "a" already exists';
    expect(refusal(() => bed.create(maps, value))).toEqual([409, "AlreadyExists", text]);
    expect(refusal(() => bed.create(maps, value, { dryRun: true }))[0]).toBe(409);
    bed.remove(maps, "a");
    expect(refusal(() => bed.create(maps, value))[2]).toBe(`object is being deleted: ${text}`);
  });

  test("is reported with the resource in the group of the request", () => {
    const spoken = { ...maps, groupResource: { group: "other.io", name: "configmaps" } } as Kind;
    const foreign = { ...spoken, plural: "others" };
    const bed = newBed([maps]);
    bed.create(maps, { metadata: { name: "a" } });
    const messageFor = (requestKind: Kind) =>
      refusal(() => bed.create(maps, { metadata: { name: "a" } }, { requestKind }))[2];
    expect(messageFor(spoken)).toBe('configmaps.other.io "a" already exists');
    expect(messageFor(foreign)).toBe('configmaps "a" already exists');
  });

  test("is generated from the prefix, cut to fit 63 characters", () => {
    const bed = newBed([maps]);
    const long = "x".repeat(80);
    expect(bed.create(maps, { metadata: { generateName: "job-" } }).metadata.name).toMatch(/^job-[a-z0-9]{5}$/);
    const { name = "" } = bed.create(maps, { metadata: { generateName: long } }).metadata;
    expect([name.length, name.slice(0, 58)]).toEqual([63, "x".repeat(58)]);
  });

  test("is generated again if it is taken, at most eight times in all", () => {
    for (const [free, isMade] of [
      [8, true],
      [9, false],
    ] as const) {
      let lookups = 0;
      const suffixes = { uuid: () => "u", next: () => 0, suffix: () => (++lookups >= free ? "free0" : "taken") };
      const bed = newBed([maps], { random: suffixes });
      bed.create(maps, { metadata: { name: "a-taken" } });
      const createMap = () => bed.create(maps, { metadata: { generateName: "a-" } }).metadata.name;
      if (isMade) expect(createMap()).toBe("a-free0");
      else {
        const [code, , message] = refusal(createMap);
        expect([code, message]).toEqual([
          409,
          'configmaps "a-taken" already exists, the server was not able to generate a unique name for the object',
        ]);
      }
      expect(lookups).toBe(8);
    }
  });

  test("is never generated beside a generateName", () => {
    const bed = newBed([maps]);
    const value = { metadata: { name: "a", generateName: "b-" } };
    expect(bed.create(maps, value).metadata.name).toBe("a");
    expect(refusal(() => bed.create(maps, value))[2]).toContain("not able to generate a unique name");
    expect(bed.registry.store.revision).toBe(1);
  });
});

describe("R2: a dry-run create", () => {
  test("returns the object without storing it", () => {
    const bed = newBed([maps]);
    const created = bed.create(maps, { metadata: { name: "a" } }, { dryRun: true });
    expect(created.metadata).toMatchObject({ name: "a", namespace: "default", uid: expect.anything() });
    expect(created.metadata).not.toHaveProperty("resourceVersion");
    expect(bed.registry.store.revision).toBe(0);
  });
});

describe("R5: the status of a new object", () => {
  test("is cleared, unless the kind keeps it", () => {
    const value = { metadata: { name: "a" }, status: { replicas: 3 } };
    const usual = deploymentKind();
    const keeping = deploymentKind({ keepsStatusOnCreate: true });
    expect(newBed([usual]).create(usual, value).status).toEqual({});
    expect(newBed([keeping]).create(keeping, value).status).toEqual({ replicas: 3 });
  });

  test("is the zero status when the strategy runs, with the structs that are always present", () => {
    const statuses: unknown[] = [];
    const nodes = nodeKind({ prepareForCreate: ({ status }) => void statuses.push(structuredClone(status)) });
    newBed([nodes]).create(nodes, { metadata: { name: "n" }, status: { phase: "Running" } });
    expect(statuses).toEqual([nodes.schema.empty("v1", "Node")["status"]]);
    expect(statuses[0]).toHaveProperty("nodeInfo");
  });

  test("is hidden from strategies of a kind without a status", () => {
    const statuses: unknown[] = [];
    const look = (draft: object) => void statuses.push("status" in draft);
    const plain = configMapKind({ prepareForCreate: look, prepareForUpdate: look });
    const bed = newBed([plain]);
    bed.create(plain, { metadata: { name: "a" } });
    bed.edit(plain, "a", () => undefined);
    expect(statuses).toEqual([false, false]);
  });

  test("is absent for a kind without a status", () => {
    expect(newBed([maps]).create(maps, { metadata: { name: "a" } })).not.toHaveProperty("status");
  });
});

describe("R9: duplicate owner references", () => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u-1" };
  const advice =
    "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests";

  test.for([
    ["the same", [owner, owner], ["u-1"]],
    ["the same three times", [owner, owner, owner], ["u-1", "u-1"]],
    ["another uid", [owner, { ...owner, uid: "u-2" }], undefined],
    ["another name", [owner, { ...owner, name: "p" }], undefined],
    ["as controller", [owner, { ...owner, controller: true }], undefined],
    ["as a blocking owner", [owner, { ...owner, blockOwnerDeletion: true }], undefined],
    ["one", [owner], undefined],
    ["none", undefined, undefined],
  ] as const)("become one: %s", ([, ownerReferences, repeated]) => {
    const bed = newBed([maps]);
    const { metadata } = bed.create(maps, { metadata: { name: "a", ownerReferences } });
    const texts = repeated
      ? [
          `.metadata.ownerReferences contains duplicate entries; ${advice}; duplicate UID(s) observed: ${repeated.join(", ")}`,
        ]
      : [];
    expect(bed.warnings).toEqual(texts);
    expect(metadata.ownerReferences).toEqual(repeated ? [owner] : ownerReferences);
  });

  test("have their own warning if admission adds them", () => {
    const bed = newBed([maps], {
      plugins: () => [
        { name: "Twice", mutate: ({ object }) => void (object && (object.metadata.ownerReferences = [owner, owner])) },
      ],
    });
    bed.create(maps, { metadata: { name: "a" } });
    expect(bed.warnings).toEqual([
      `.metadata.ownerReferences contains duplicate entries after mutating admission happens; ${advice}; duplicate UID(s) observed: u-1`,
    ]);
    create(bed.registry, maps, "default", draftOf(maps, { metadata: { name: "b" } }), actor);
    expect(bed.get(maps, "b")?.metadata.ownerReferences).toEqual([owner]);
  });
});

describe("S6: indexes of a new object", () => {
  test("contain its owners by uid, and mark the controlling one", () => {
    const indexed = configMapKind({ indexValue: ({ data = {} }) => data["node"] ?? "" });
    const bed = newBed([indexed]);
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o" };
    const ownerReferences = [
      { ...owner, uid: "u-1" },
      { ...owner, uid: "u-2", controller: true },
    ];
    bed.create(indexed, { metadata: { name: "a", ownerReferences }, data: { node: "n-1" } });
    expect(bed.writes[0]?.index).toEqual({ owners: ["u-1", "!u-2"], indexValue: "n-1" });
    bed.remove(indexed, "a");
    expect(bed.writes[1]?.index).toEqual({ owners: [], indexValue: "" });
    const plain = newBed([maps]);
    plain.create(maps, { metadata: { name: "a" } });
    expect(plain.writes[0]?.index).toEqual({ owners: [], indexValue: "" });
  });

  test("contain each change with its user, its origin and the change that it reacts to", () => {
    const bed = newBed([maps]);
    bed.create(maps, { metadata: { name: "a" } });
    const reacting = { ...actor, origin: "replicaset:default/a", reactsTo: 7 };
    create(bed.registry, maps, "default", draftOf(maps, { metadata: { name: "b" } }), reacting);
    expect(bed.writes.map(({ cause }) => JSON.parse(cause) as unknown)).toEqual([
      ["ann", "test"],
      ["ann", "replicaset:default/a", 7],
    ]);
  });
});

describe("B1: a create with little space left", () => {
  test("is allowed to controllers for updates and kinds that may use the reserve, and refused otherwise", () => {
    const noting = configMapKind({ mayUseReserve: ({ data = {} }) => data["note"] === "yes" });
    const bed = newBed([noting]);
    const controller = { ...actor, reactsTo: 1 };
    const make = (name: string, data: Record<string, string>, by = actor) =>
      create(bed.registry, noting, "default", draftOf(noting, { metadata: { name }, data }), by);
    make("a", { note: "yes" });
    make("b", { note: "no" }, controller);
    make("c", { note: "yes" }, controller);
    bed.create(noting, { metadata: { name: "d", finalizers: ["x.io/y"] } });
    bed.remove(noting, "d");
    bed.remove(noting, "a");
    expect(bed.writes.map(({ reserve }) => reserve)).toEqual([
      undefined,
      "changes",
      "all",
      undefined,
      "all",
      undefined,
    ]);
    const plain = newBed([maps]);
    create(plain.registry, maps, "default", draftOf(maps, { metadata: { name: "a" } }), controller);
    expect(plain.writes[0]?.reserve).toBe("changes");
  });
});
