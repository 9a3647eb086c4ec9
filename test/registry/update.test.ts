// Updates: their versions and uids, the metadata that they change, and updates without changes.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import type { AdmissionRequest } from "../../worker/registry/admission.ts";
import type { Actor } from "../../worker/registry/registry.ts";
import { update } from "../../worker/registry/update.ts";
import { actor, type Bed, configMapKind, deploymentKind, draftOf, newBed, nodeKind, refusal } from "./bed.ts";

const maps = configMapKind();
const target = { namespace: "default", name: "a", subresource: "" };

/** Creates an object with two versions: the current one is "2". */
function twice(kind: Kind = maps): Bed {
  const bed = newBed([kind]);
  bed.create(kind, { metadata: { name: "a", labels: { v: "1" } } });
  bed.edit(kind, "a", ({ metadata }) => {
    metadata.labels = { v: "2" };
  });
  return bed;
}

function withVersion(bed: Bed, kind: Kind, resourceVersion: string | undefined) {
  return () =>
    bed.edit(kind, "a", ({ metadata }) => {
      metadata.labels = { v: "3" };
      if (resourceVersion === undefined) delete metadata.resourceVersion;
      else metadata.resourceVersion = resourceVersion;
    });
}

describe("R3: the resource version of an update", () => {
  const stale =
    'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again';

  test.for([
    [undefined, 200, ""],
    ["", 200, ""],
    ["0", 200, ""],
    ["2", 200, ""],
    ["1", 409, stale],
    ["3", 409, stale],
    ["02", 409, stale],
    ["18446744073709551615", 409, stale],
    ["18446744073709551616", 400, 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
    ["x", 400, 'strconv.ParseUint: parsing "x": invalid syntax'],
    ["-1", 400, 'strconv.ParseUint: parsing "-1": invalid syntax'],
    ["1x", 400, 'strconv.ParseUint: parsing "1x": invalid syntax'],
  ] as const)("%j is answered with %d", ([version, code, message]) => {
    const bed = twice();
    const write = withVersion(bed, maps, version);
    if (code === 200) expect(write().metadata).toMatchObject({ resourceVersion: "3", labels: { v: "3" } });
    else expect(refusal(write)).toEqual([code, code === 409 ? "Conflict" : "BadRequest", message]);
    expect(bed.registry.store.revision).toBe(code === 200 ? 3 : 2);
  });

  test.for([
    [undefined, 422],
    ["", 422],
    ["0", 422],
    ["2", 200],
    ["1", 409],
  ] as const)("%j is answered with %d for a kind that requires a version", ([version, code]) => {
    const kind = configMapKind({ allowUnconditionalUpdate: false }) as Kind;
    const bed = twice(kind);
    const write = withVersion(bed, kind, version);
    if (code === 200) {
      expect(write().metadata.resourceVersion).toBe("3");
      return;
    }
    const [actualCode, , message] = refusal(write);
    expect(actualCode).toBe(code);
    if (code === 422) {
      expect(message).toBe(
        'configmaps "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      );
    }
  });

  test("may be omitted by default (`allowUnconditionalUpdate: true`)", () => {
    const kind = configMapKind({ allowUnconditionalUpdate: true }) as Kind;
    expect(withVersion(twice(kind), kind, "0")().metadata.resourceVersion).toBe("3");
  });

  test("is a conflict that names the resource in the group of the request", () => {
    const bed = twice();
    const requestKind = { ...maps, groupResource: { group: "other.io", name: "configmaps" } } as unknown as Kind;
    const write = () =>
      bed.edit(
        maps,
        "a",
        ({ metadata }) => {
          metadata.resourceVersion = "1";
        },
        { requestKind },
      );
    expect(refusal(write)[2]).toContain('on configmaps.other.io "a"');
  });
});

describe("R3: the uid of an update", () => {
  const conflict = (resource: string, name: string, key: string, expected: string, actual = "") =>
    `Operation cannot be fulfilled on ${resource} "${name}": StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${expected}, UID in object meta: ${actual}`;

  function renamed(kind: Kind, dryRun = false) {
    const bed = newBed([kind]);
    const { uid = "" } = bed.create(kind, { metadata: { name: "a" } }).metadata;
    const change = ({ metadata }: KubeObject) => {
      metadata.uid = "other";
    };
    return { uid, said: refusal(() => bed.edit(kind, "a", change, { dryRun })) };
  }

  test.for<[string, Kind, boolean, string]>([
    ["in the core group", maps, false, "/registry/configmaps/default/a"],
    ["as a dry run", maps, true, "/configmaps/default/a"],
    ["in a named group", deploymentKind(), false, "/registry/deployments/default/a"],
    ["in no namespace", nodeKind({ resourcePrefix: "minions" }), false, "/registry/minions/a"],
    [
      "for a custom resource",
      deploymentKind({ custom: { listKind: "L", openApi: { tag: "", schemas: () => ({}) } } }),
      false,
      "/registry/apps/deployments/default/a",
    ],
  ])("is a 409 with the key in etcd if it differs: %s", ([, kind, dryRun, key]) => {
    const { uid, said: message } = renamed(kind, dryRun);
    expect(message).toEqual([409, "Conflict", conflict(kind.resource, "a", key, "other", uid)]);
  });

  test("is the stored object's if it is empty", () => {
    const bed = twice();
    const { uid } = bed.get(maps, "a")?.metadata ?? {};
    const stored = bed.edit(maps, "a", ({ metadata }) => {
      delete metadata.uid;
      metadata.labels = { v: "3" };
    });
    expect(stored.metadata.uid).toBe(uid);
  });

  test.for(["patch", "apply"])("is an invalid change in a %s", (origin) => {
    const bed = twice();
    const change = ({ metadata }: KubeObject) => {
      metadata.uid = "other";
    };
    const [code, , message] = refusal(() => bed.edit(maps, "a", change, { actor: { ...actor, origin } }));
    expect(code).toBe(422);
    expect(message).toContain("metadata.uid: Invalid value");
  });
});

describe("R9: the target of an update", () => {
  const draft = (name: string, namespace = "default") => draftOf(maps, { metadata: { name, namespace } });
  const write = (bed: Bed, value: ReturnType<typeof draft>) => () => update(bed.registry, maps, target, value, actor);

  test("is a 400 before admission for another name, none, or another namespace", () => {
    const operations: unknown[] = [];
    const bed = twice();
    bed.registry = {
      ...bed.registry,
      plugins: () => [{ name: "Note", mutate: (request) => void operations.push(request) }],
    };
    expect(refusal(write(bed, draft("b")))).toEqual([
      400,
      "BadRequest",
      "the name of the object (b) does not match the name on the URL (a)",
    ]);
    expect(refusal(write(bed, draft("")))[2]).toBe(
      "the name of the object (a based on URL) was undeterminable: name must be provided",
    );
    expect(refusal(write(bed, draft("a", "other")))[0]).toBe(400);
    expect(operations).toEqual([]);
  });

  test("has the path's apiVersion and kind", () => {
    const bed = twice();
    const value = { ...draft("a"), apiVersion: "", kind: "", data: { k: "v" } };
    expect(write(bed, value)()).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { k: "v" } });
  });

  test("cannot be changed by admission", () => {
    const moving = {
      name: "Move",
      mutate: ({ object }: { object: KubeObject | undefined }) => void (object && (object.metadata.namespace = "b")),
    };
    const bed = twice();
    const registry = { ...bed.registry, plugins: () => [moving] };
    expect(refusal(() => update(registry, maps, target, draft("a"), actor))[0]).toBe(400);
  });

  test("is a 404 that names the resource of the request if it is absent", () => {
    const bed = newBed([maps]);
    expect(refusal(write(bed, draft("a")))).toEqual([404, "NotFound", 'configmaps "a" not found']);
  });

  test("is created without the version if its kind allows creation by updates", () => {
    const creatableKind = configMapKind({ allowCreateOnUpdate: true });
    const bed = newBed([creatableKind]);
    const value = draftOf(creatableKind, { metadata: { name: "a", resourceVersion: "7" } });
    expect(update(bed.registry, creatableKind, target, value, actor).metadata.resourceVersion).toBe("1");
    expect(bed.changes.map(({ type }) => type)).toEqual(["ADDED"]);
    const status = { ...target, name: "b", subresource: "status" };
    const otherName = draftOf(creatableKind, { metadata: { name: "b" } });
    expect(refusal(() => update(bed.registry, creatableKind, status, otherName, actor))[0]).toBe(404);
    const named = draftOf(creatableKind, { metadata: { name: "b", uid: "u" } });
    const [code, , message] = refusal(() =>
      update(bed.registry, creatableKind, { ...target, name: "b" }, named, actor, { dryRun: false }),
    );
    expect([code, message]).toEqual([
      409,
      'Operation cannot be fulfilled on configmaps "b": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/b, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u, UID in object meta: ',
    ]);
  });

  test.for<[string, (metadata: KubeObject["metadata"]) => void]>([
    ["the time of a deletion", (metadata) => void (metadata.deletionTimestamp = "2026-01-01T00:00:00Z")],
    ["the grace period of a deletion", (metadata) => void (metadata.deletionGracePeriodSeconds = 5)],
  ])("does not get %s from an update", ([, change]) => {
    expect(refusal(() => twice().edit(maps, "a", ({ metadata }) => change(metadata)))[0]).toBe(422);
  });

  test("has immutable metadata, whatever the kind's own rules are", () => {
    const lax = configMapKind({ validateUpdate: () => [] });
    const bed = twice(lax);
    const change = ({ metadata }: KubeObject) => {
      metadata.uid = "other";
    };
    expect(refusal(() => bed.edit(lax, "a", change, { actor: { ...actor, origin: "patch" } }))[0]).toBe(422);
  });

  test("has the kind's metadata rules again for a subresource, unless the kind has none", () => {
    const causes = (metadataRules?: "none") => {
      const kind = deploymentKind({
        ...(metadataRules ? { metadataRules } : {}),
        subresourceStrategies: { scale: { prepareForUpdate: () => undefined } },
      });
      const bed = twice(kind);
      const change = ({ metadata }: KubeObject) => {
        metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
      };
      try {
        bed.edit(kind, "a", change, { subresource: "scale" });
        return [];
      } catch (error) {
        return error instanceof ApiError ? error.details?.causes : [error];
      }
    };
    expect(causes()).toHaveLength(2);
    expect(causes("none")).toHaveLength(1);
  });

  test("keeps metadata that only the server sets", () => {
    const counted = deploymentKind({ raisesGeneration: () => false });
    const bed = newBed([counted]);
    const before = bed.create(counted, { metadata: { name: "a", finalizers: ["x.io/y"] } }).metadata;
    const after = bed.edit(counted, "a", ({ metadata }) => {
      metadata.generation = 9;
      metadata.creationTimestamp = "2020-01-01T00:00:00Z";
      metadata.selfLink = "/x";
      metadata.labels = { a: "b" };
    }).metadata;
    expect(after).toMatchObject({ generation: 1, creationTimestamp: before.creationTimestamp, uid: before.uid });
    expect(after).not.toHaveProperty("selfLink");
    bed.clock.step(1000);
    bed.remove(counted, "a");
    const marked = bed.get(counted, "a")?.metadata;
    const edited = bed.edit(counted, "a", ({ metadata }) => {
      metadata.deletionTimestamp = "2030-01-01T00:00:00Z";
      delete metadata.deletionGracePeriodSeconds;
      metadata.labels = { a: "c" };
    }).metadata;
    expect([edited.deletionTimestamp, edited.deletionGracePeriodSeconds]).toEqual([marked?.deletionTimestamp, 0]);
    expect(marked?.deletionTimestamp).toBeDefined();
  });

  test("gets one owner reference for duplicates, and a patch gets the warning after admission", () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u-1" };
    const repeat = ({ metadata }: KubeObject) => {
      metadata.ownerReferences = [owner, owner];
    };
    const warningsOf = (by: Actor) => {
      const bed = newBed([maps]);
      bed.create(maps, { metadata: { name: "a" } });
      bed.edit(maps, "a", repeat, { actor: by });
      return [
        bed.get(maps, "a")?.metadata.ownerReferences?.length,
        bed.warnings.length,
        bed.warnings[0]?.includes(" after "),
      ];
    };
    expect(warningsOf(actor)).toEqual([1, 1, false]);
    expect(warningsOf({ ...actor, origin: "patch" })).toEqual([1, 1, true]);
    expect(warningsOf({ ...actor, origin: "apply" })).toEqual([1, 1, true]);
  });
});

describe("R3: an update without changes", () => {
  test("writes nothing, also if only the times of managed fields differ", () => {
    const bed = twice();
    const before = bed.get(maps, "a");
    bed.clock.step(60_000);
    const same = bed.edit(maps, "a", ({ metadata }) => {
      metadata.managedFields = metadata.managedFields?.map((entry) => ({ ...entry, time: "2027-01-01T00:00:00Z" }));
    });
    expect(same).toBe(before);
    expect(bed.registry.store.revision).toBe(2);
  });

  test("is a change if the manager of the same fields differs", () => {
    const bed = twice();
    bed.edit(maps, "a", ({ metadata }) => {
      metadata.managedFields = metadata.managedFields?.map((entry) => ({ ...entry, manager: "other" }));
    });
    expect(bed.registry.store.revision).toBe(3);
  });

  test("returns the resulting object as a dry run", () => {
    const bed = twice();
    const tried = bed.edit(
      maps,
      "a",
      (draft) => {
        draft.data = { k: "v" };
        draft.metadata.selfLink = "/x";
      },
      { dryRun: true },
    );
    expect(tried).toMatchObject({ data: { k: "v" }, metadata: { resourceVersion: "2", selfLink: "/x" } });
    expect(bed.registry.store.revision).toBe(2);
  });

  test("lets defaults and strategies see the old object", () => {
    const oldObjects: unknown[] = [];
    const kind = deploymentKind({
      validateUpdate: (next, previous, check) => {
        oldObjects.push([previous.spec.replicas, next.spec.replicas]);
        return [...check.objectMeta(), ...check.objectMetaUpdate(), ...check.validate()];
      },
    });
    const bed = newBed([kind]);
    bed.create(kind, { metadata: { name: "a" }, spec: { replicas: 1 } });
    bed.edit(kind, "a", ({ spec }) => {
      spec.replicas = 2;
    });
    expect(oldObjects).toEqual([[1, 2]]);
  });
});

describe("R5: status and object", () => {
  const kind = deploymentKind({ raisesGeneration: (next, previous) => next.spec.replicas !== previous.spec.replicas });
  const value = { metadata: { name: "a", labels: { a: "1" }, annotations: { b: "1" } }, spec: { replicas: 1 } };

  function changed(subresource: string) {
    const bed = newBed([kind]);
    bed.create(kind, value);
    return bed.edit(
      kind,
      "a",
      ({ metadata, spec, status }) => {
        metadata.labels = { a: "2" };
        metadata.annotations = { b: "2" };
        metadata.finalizers = ["x.io/y"];
        metadata.generation = 7;
        spec.replicas = 5;
        status.replicas = 3;
      },
      { subresource },
    );
  }

  test("the object's update keeps the status, and raises the generation", () => {
    const { metadata, spec, status } = changed("");
    expect([spec.replicas, status]).toEqual([5, {}]);
    expect(metadata).toMatchObject({ labels: { a: "2" }, generation: 2 });
  });

  test("an update of the status keeps everything but the metadata of a status writer, and the generation", () => {
    const { metadata, spec, status } = changed("status");
    expect([spec.replicas, status]).toEqual([1, { replicas: 3 }]);
    expect(metadata).toMatchObject({
      labels: { a: "1" },
      annotations: { b: "2" },
      finalizers: ["x.io/y"],
      generation: 1,
    });
  });

  test("an update of the status removes fields that it leaves out", () => {
    const statuses: unknown[] = [];
    const look = ({ object, operation }: AdmissionRequest) =>
      void (operation === "UPDATE" && statuses.push("annotations" in (object?.metadata ?? {})));
    const bed = newBed([kind], { plugins: () => [{ name: "Look", validate: look }] });
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u" };
    bed.create(kind, { metadata: { name: "a", annotations: { b: "1" }, ownerReferences: [owner] } });
    const { metadata } = bed.edit(
      kind,
      "a",
      (draft) => {
        delete draft.metadata.annotations;
        delete draft.metadata.ownerReferences;
      },
      { subresource: "status" },
    );
    expect(statuses).toEqual([false]);
    expect(metadata).not.toHaveProperty("annotations");
    expect(metadata).not.toHaveProperty("ownerReferences");
    expect(metadata.uid).toBeDefined();
  });

  test("R1: an update of the status raises no generation", () => {
    const eager = deploymentKind({ raisesGeneration: () => true });
    const bed = newBed([eager]);
    bed.create(eager, value);
    const write = (subresource: string) =>
      bed.edit(
        eager,
        "a",
        ({ status }) => {
          status.replicas = (status.replicas ?? 0) + 1;
        },
        { subresource },
      ).metadata.generation;
    expect([write("status"), write("status"), write("")]).toEqual([1, 1, 2]);
  });

  test("a kind's own strategy of a subresource is used, with its rules", () => {
    const error = { type: "FieldValueInvalid" as const, field: "status", message: "is wrong" };
    const strict = deploymentKind({
      raisesGeneration: (next, previous) => next.spec.replicas !== previous.spec.replicas,
      subresourceStrategies: {
        status: {
          prepareForUpdate: (draft, previous) => {
            draft.spec = { ...previous.spec, replicas: 8 };
          },
          validateUpdate: ({ status }) => (status.replicas === 9 ? ([error] as never) : []),
        },
        scale: {
          prepareForUpdate: (draft, previous) => {
            draft.status = previous.status;
          },
        },
      },
    });
    const bed = newBed([strict]);
    bed.create(strict, value);
    const write = (subresource: string, replicas: number) =>
      bed.edit(
        strict,
        "a",
        ({ spec, status, metadata }) => {
          metadata.labels = { a: "3" };
          spec.replicas = replicas;
          status.replicas = replicas;
        },
        { subresource },
      );
    expect(write("status", 5)).toMatchObject({ spec: { replicas: 8 }, status: { replicas: 5 } });
    expect(bed.get(strict, "a")?.metadata).toMatchObject({ generation: 1, labels: { a: "3" } });
    expect(refusal(() => write("status", 9))).toEqual([
      422,
      "Invalid",
      'Deployment.apps "a" is invalid: status: is wrong',
    ]);
    expect(write("scale", 6)).toMatchObject({ spec: { replicas: 6 }, metadata: { generation: 2 } });
  });
});

describe("R9: the metadata rules of a kind", () => {
  const wrong = { type: "FieldValueInvalid" as const, field: "data", message: "is wrong" };
  const errorsOf = (kind: Kind, metadata: object) => {
    const bed = newBed([kind]);
    const [code, , message] = refusal(() => bed.create(kind, { metadata }));
    return [code, message.slice(message.indexOf("invalid: ") + 9)];
  };

  test("require a DNS subdomain as name by default", () => {
    expect(errorsOf(maps as Kind, { name: "A" })[1]).toContain('metadata.name: Invalid value: "A"');
    const kindWithRule = configMapKind({ validateName: (name) => (name === "odd" ? ["is odd"] : []) }) as Kind;
    expect(errorsOf(kindWithRule, { name: "odd" })[1]).toBe('metadata.name: Invalid value: "odd": is odd');
    expect(newBed([kindWithRule]).create(kindWithRule, { metadata: { name: "A" } }).metadata.name).toBe("A");
  });

  test("have their errors before the kind's, or alone if the kind requests it", () => {
    const both = configMapKind({ validate: () => [wrong] as never }) as Kind;
    expect(errorsOf(both, { name: "A" })[1]).toMatch(/^\[metadata\.name: .*, data: is wrong\]$/);
    const late = configMapKind({
      metadataRules: "none",
      validate: ({ data }) => (data ? [wrong] : []),
    }) as Kind;
    expect(errorsOf(late, { name: "A" })[1]).toContain("metadata.name");
    const first = configMapKind({ metadataRules: "none", validate: () => [wrong] as never }) as Kind;
    expect(errorsOf(first, { name: "A" })[1]).toBe("data: is wrong");
  });

  test("require a domain of a finalizer, unless the kind uses apimachinery's rules", () => {
    const metadata = { name: "a", finalizers: ["plain"] };
    expect(errorsOf(maps as Kind, metadata)[1]).toContain("metadata.finalizers");
    const loose = configMapKind({ metadataRules: "apimachinery" }) as Kind;
    const bed = newBed([loose]);
    expect(bed.create(loose, { metadata }).metadata.finalizers).toEqual(["plain"]);
    const added = bed.edit(loose, "a", (draft) => {
      draft.metadata.finalizers = ["plain", "other"];
    });
    expect(added.metadata.finalizers).toEqual(["plain", "other"]);
  });

  test("apply to an update too, in the kind's own order if it has one", () => {
    const calls: string[] = [];
    const usual = deploymentKind({
      validate: () => {
        calls.push("validate");
        return [];
      },
    });
    const bed = newBed([usual]);
    bed.create(usual, { metadata: { name: "a" } });
    bed.edit(usual, "a", () => undefined);
    expect(calls).toEqual(["validate", "validate"]);
    const change = ({ metadata }: KubeObject) => {
      metadata.annotations = { "no key": "" };
    };
    for (const subresource of ["", "status"]) {
      expect(refusal(() => bed.edit(usual, "a", change, { subresource }))[2]).toContain("metadata.annotations");
    }
  });
});
