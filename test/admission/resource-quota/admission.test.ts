// ResourceQuota as a plugin: the checked writes, the matching quotas, and the messages.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { resourceQuota } from "../../../worker/admission/resource-quota.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { resourceQuotas } from "../../../worker/kinds/core/resource-quota/resource-quota.ts";
import { secrets } from "../../../worker/kinds/core/secret.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import type { Kind } from "../../../worker/kinds/kind.ts";
import { podOf } from "../pods.ts";
import { objectOf, requestOf, type Stored, stored } from "../request.ts";

const where = { namespace: "team" };

interface Quota {
  readonly name?: string;
  readonly hard: Readonly<Record<string, string>>;
  /** Default: 0 for each resource. */
  readonly used?: Readonly<Record<string, string>> | undefined;
  readonly spec?: object;
}

function quota({ name = "q", hard, spec = {}, ...metadata }: Quota): Stored {
  const none = Object.fromEntries(Object.keys(hard).map((resource) => [resource, "0"]));
  const used = "used" in metadata ? metadata.used : none;
  return stored(resourceQuotas, {
    metadata: { name, ...where },
    spec: { hard, ...spec },
    status: { hard, ...(used ? { used } : {}) },
  });
}

interface Asked<T extends KubeObject> {
  readonly object?: T;
  readonly previous?: T;
  readonly subresource?: string;
  readonly namespace?: string;
}

/** Returns "" if the write is allowed, otherwise the message of the error. */
function errorOf<T extends KubeObject>(
  kind: Kind<T>,
  operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT",
  write: Asked<T>,
  ...storedObjects: readonly Stored[]
): string {
  try {
    resourceQuota.validate?.(requestOf(kind, operation, { ...write, stored: storedObjects }));
    return "";
  } catch (error) {
    if (error instanceof ApiError && error.code === 403 && error.reason === "Forbidden") return error.message;
    throw error;
  }
}

const claim = (storage: string, name = "c", more: object = {}) =>
  objectOf(persistentVolumeClaims, {
    metadata: { name, ...where },
    spec: { resources: { requests: { storage } }, ...more },
  });
const storedClaim = (storage: string, name = "c") => ({
  kind: persistentVolumeClaims as Kind,
  object: claim(storage, name),
});
const secret = (name = "s") => objectOf(secrets, { metadata: { name, ...where } });
const running = (spec: object, metadata: object = {}) => podOf(spec, metadata);

describe("R14: a quota and the requested objects", () => {
  const limited = (count: string) => quota({ hard: { "count/secrets": count, pods: "9" } });

  test("allows writes up to its limit", () => {
    const storedObjects = [limited("2"), stored(secrets, { metadata: { name: "a", ...where } })];
    expect(errorOf(secrets, "CREATE", { object: secret() }, ...storedObjects)).toBe("");
    const more = stored(secrets, { metadata: { name: "b", ...where } });
    expect(errorOf(secrets, "CREATE", { object: secret() }, ...storedObjects, more)).toBe(
      'secrets "s" is forbidden: exceeded quota: q, requested: count/secrets=1, used: count/secrets=2, limited: count/secrets=2',
    );
  });

  test("counts legacy names as well, and no names of other kinds", () => {
    const storedObjects = [quota({ hard: { secrets: "0" } })];
    expect(errorOf(secrets, "CREATE", { object: secret() }, ...storedObjects)).toContain(
      "requested: secrets=1, used: secrets=0",
    );
    for (const name of ["count/configmaps", "configmaps", "services"]) {
      expect(errorOf(secrets, "CREATE", { object: secret() }, quota({ hard: { [name]: "0" } }))).toBe("");
    }
    expect(
      errorOf(services, "CREATE", { object: service("ClusterIP") }, quota({ hard: { "count/services": "0" } })),
    ).toContain("count/services=1");
  });

  test("lists the exceeded resources in order", () => {
    const storedObjects = [
      quota({ hard: { "requests.storage": "5", "count/persistentvolumeclaims": "0", persistentvolumeclaims: "9" } }),
    ];
    expect(errorOf(persistentVolumeClaims, "CREATE", { object: claim("8") }, ...storedObjects)).toBe(
      'persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: count/persistentvolumeclaims=1,requests.storage=8, used: count/persistentvolumeclaims=0,requests.storage=0, limited: count/persistentvolumeclaims=0,requests.storage=5',
    );
  });

  test("is checked for every quota of the namespace", () => {
    const storedObjects = [
      quota({ name: "wide", hard: { secrets: "9" } }),
      quota({ name: "narrow", hard: { secrets: "0" } }),
    ];
    expect(errorOf(secrets, "CREATE", { object: secret() }, ...storedObjects)).toContain("exceeded quota: narrow");
  });

  test.for<["CREATE" | "UPDATE" | "DELETE" | "CONNECT", Asked<KubeObject>]>([
    ["DELETE", { previous: secret() }],
    ["DELETE", { object: secret() }],
    ["CONNECT", { object: secret() }],
    ["UPDATE", { object: secret(), previous: secret() }],
    ["CREATE", { object: secret(), namespace: "" }],
    ["CREATE", { object: secret(), subresource: "x" }],
    ["CREATE", {}],
  ])("counts nothing for a %s of %j", ([operation, object]) => {
    expect(errorOf(secrets as Kind, operation, { ...where, ...object }, quota({ hard: { secrets: "0" } }))).toBe("");
  });

  test("skips a write that uses nothing, for a computed status and for specified resources", () => {
    const unknown = quota({
      hard: { secrets: "5", services: "5", pods: "5", "requests.storage": "5" },
      used: undefined,
    });
    const ended = { object: running({ activeDeadlineSeconds: 5 }), previous: running({}) };
    expect(errorOf(secrets, "UPDATE", { object: secret(), previous: secret() }, unknown)).toBe("");
    expect(errorOf(services, "CONNECT", { object: service("NodePort") }, unknown)).toBe("");
    expect(errorOf(persistentVolumeClaims, "CONNECT", { object: claim("9") }, unknown)).toBe("");
    for (const subresource of ["status", "ephemeralcontainers"]) {
      expect(errorOf(pods, "UPDATE", { ...ended, subresource }, unknown)).toBe("");
    }
    const resized = { object: claim("9"), previous: claim("1"), subresource: "x" };
    expect(errorOf(persistentVolumeClaims, "UPDATE", resized, unknown)).toBe("");
    expect(
      errorOf(
        services,
        "UPDATE",
        { object: service("NodePort"), previous: service("NodePort"), subresource: "status" },
        unknown,
      ),
    ).toBe("");
    expect(errorOf(pods, "UPDATE", ended, unknown)).toContain("status unknown");
  });

  test("rejects its resources until its status is set", () => {
    const unset = stored(resourceQuotas, {
      metadata: { name: "q", ...where },
      spec: { hard: { secrets: "0" } },
    });
    expect(errorOf(secrets, "CREATE", { object: secret() }, unset)).toBe("");
    const half = quota({ hard: { secrets: "5", "count/secrets": "5", pods: "5" }, used: { secrets: "0" } });
    const why = 'secrets "s" is forbidden: status unknown for quota: q, resources: count/secrets,secrets';
    expect(errorOf(secrets, "CREATE", { object: secret() }, half)).toBe(why);
    const none = quota({ hard: { secrets: "5", "count/secrets": "5" }, used: undefined });
    expect(errorOf(secrets, "CREATE", { object: secret() }, none)).toBe(why);
    const counted = quota({ hard: { secrets: "5", pods: "5" }, used: { secrets: "0" } });
    expect(errorOf(secrets, "CREATE", { object: secret() }, counted)).toBe("");
  });
});

describe("R14: an update and its increase in usage", () => {
  const limited = quota({ hard: { "requests.storage": "10", persistentvolumeclaims: "2" } });
  const storedObjects = [limited, storedClaim("5"), storedClaim("2", "other")];

  test.for([
    ["5", "6", ""],
    ["5", "8", ""],
    ["5", "9", "requested: requests.storage=4, used: requests.storage=7, limited: requests.storage=10"],
    ["5", "5", ""],
    ["5", "1", ""],
  ] as const)("is counted once from %s to %s: %j", ([from, to, why]) => {
    const answer = errorOf(
      persistentVolumeClaims,
      "UPDATE",
      { object: claim(to), previous: claim(from) },
      ...storedObjects,
    );
    if (why) expect(answer).toContain(why);
    else expect(answer).toBe("");
  });

  test("is allowed by an exceeded quota if usage does not increase", () => {
    const full = [quota({ hard: { "requests.storage": "1" } }), storedClaim("5")];
    expect(errorOf(persistentVolumeClaims, "UPDATE", { object: claim("5"), previous: claim("5") }, ...full)).toBe("");
    expect(errorOf(persistentVolumeClaims, "UPDATE", { object: claim("4"), previous: claim("5") }, ...full)).toBe("");
    expect(errorOf(persistentVolumeClaims, "UPDATE", { object: claim("6"), previous: claim("5") }, ...full)).toContain(
      "requested: requests.storage=1",
    );
  });

  test("counts completely for an object that enters a quota's scope", () => {
    const scoped = quota({ hard: { pods: "0" }, spec: { scopes: ["Terminating"] } });
    const [before, after] = [running({}), running({ activeDeadlineSeconds: 5 })];
    expect(errorOf(pods, "UPDATE", { object: after, previous: before }, scoped)).toContain(
      "exceeded quota: q, requested: pods=1",
    );
    expect(errorOf(pods, "UPDATE", { object: before, previous: after }, scoped)).toBe("");
    expect(errorOf(pods, "UPDATE", { object: after, previous: after }, scoped)).toBe("");
  });

  test("uses nothing for a status, but is rejected by a quota with unknown usage", () => {
    const grown = objectOf(persistentVolumeClaims, {
      ...claim("5"),
      status: { allocatedResources: { storage: "20" } },
    });
    const statusWrite = { object: grown, previous: claim("5"), subresource: "status" };
    expect(errorOf(persistentVolumeClaims, "UPDATE", statusWrite, limited)).toBe("");
    const unknown = quota({ hard: { "requests.storage": "1" }, used: undefined });
    expect(errorOf(persistentVolumeClaims, "UPDATE", statusWrite, unknown)).toContain("status unknown");
    const same = { object: claim("5"), previous: claim("5"), subresource: "status" };
    expect(errorOf(persistentVolumeClaims, "UPDATE", same, unknown)).toBe("");
  });

  test("counts by the difference for a resized pod", () => {
    const sized = (cpu: string) =>
      running({ containers: [{ name: "web", image: "nginx", resources: { requests: { cpu }, limits: { cpu } } }] });
    const full = [quota({ hard: { "requests.cpu": "3" } }), { kind: pods as Kind, object: sized("2") }];
    const resize = (to: string) => ({ object: sized(to), previous: sized("2"), subresource: "resize" });
    expect(errorOf(pods, "UPDATE", resize("3"), ...full)).toBe("");
    expect(errorOf(pods, "UPDATE", resize("4"), ...full)).toContain("requested: requests.cpu=2, used: requests.cpu=2");
    expect(errorOf(pods, "CREATE", resize("4"), ...full)).toBe("");
    expect(errorOf(pods, "UPDATE", { ...resize("4"), subresource: "" }, ...full)).toBe("");
    expect(errorOf(pods, "UPDATE", { ...resize("4"), subresource: "status" }, ...full)).toBe("");
  });

  test("counts the node ports that a Service gets", () => {
    const full = [quota({ hard: { "services.nodeports": "1" } })];
    const [before, after] = [service("ClusterIP", 2), service("NodePort", 2)];
    expect(errorOf(services, "UPDATE", { object: after, previous: before }, ...full)).toContain("services.nodeports=2");
    expect(errorOf(services, "UPDATE", { object: before, previous: after }, ...full)).toBe("");
    expect(errorOf(services, "UPDATE", { object: after, previous: before, subresource: "status" }, ...full)).toBe("");
  });
});

describe("R14: an object without the limited resources", () => {
  const two = {
    containers: [
      { name: "b", image: "i", resources: { requests: { cpu: "1" }, limits: { memory: "1" } } },
      { name: "a", image: "i" },
    ],
    initContainers: [{ name: "a", image: "i", resources: { requests: { memory: "1" } } }],
  };

  test.for<[readonly string[], string]>([
    [["cpu"], "must specify cpu for: a"],
    [["requests.cpu"], "must specify requests.cpu for: a"],
    [["limits.memory", "limits.cpu"], "must specify limits.cpu for: a,b; limits.memory for: a"],
    [["memory"], "must specify memory for: a,b"],
    [["memory", "limits.cpu", "cpu"], "must specify cpu for: a; limits.cpu for: a,b; memory for: a,b"],
    [["pods", "requests.ephemeral-storage"], ""],
  ])("is rejected: %j of containers without %j", ([names, why]) => {
    const hard = Object.fromEntries(names.map((name) => [name, "9"]));
    const answer = errorOf(pods, "CREATE", { object: running(two) }, quota({ hard }));
    expect(answer).toBe(why && `pods "web" is forbidden: failed quota: q: ${why}`);
  });

  test.for(["requests", "limits"])("is accepted if its %s are specified for the pod", (list) => {
    const stated = { ...two, resources: { [list]: { cpu: "1" } } };
    expect(errorOf(pods, "CREATE", { object: running(stated) }, quota({ hard: { "limits.memory": "9" } }))).toBe("");
  });

  test("is rejected before usage is checked", () => {
    const storedObjects = [quota({ name: "a", hard: { pods: "0" } }), quota({ name: "b", hard: { cpu: "1" } })];
    expect(errorOf(pods, "CREATE", { object: running({}) }, ...storedObjects)).toContain(
      "failed quota: b: must specify cpu",
    );
  });
});

describe("R14: a quota with scopes", () => {
  const bestEffort = running({});
  const burstable = running({ containers: [{ name: "web", image: "i", resources: { requests: { cpu: "1" } } }] });
  const affine = (preferred: boolean, term: object) => {
    const full = { topologyKey: "zone", ...term };
    return running({
      affinity: {
        podAffinity: preferred
          ? { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: full }] }
          : { requiredDuringSchedulingIgnoredDuringExecution: [full] },
      },
    });
  };
  const scope = (scopeName: string, operator = "Exists", values?: readonly string[]) => ({
    scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values ? { values } : {}) }] },
  });
  const isFor = (spec: object, object: ReturnType<typeof running>) =>
    errorOf(pods, "CREATE", { object }, quota({ hard: { pods: "0" }, spec })) !== "";

  test.for<[string, object, ReturnType<typeof running>, boolean]>([
    ["Terminating", { scopes: ["Terminating"] }, running({ activeDeadlineSeconds: 5 }), true],
    ["Terminating, at once", { scopes: ["Terminating"] }, running({ activeDeadlineSeconds: 0 }), true],
    ["Terminating, without end", { scopes: ["Terminating"] }, bestEffort, false],
    ["NotTerminating", { scopes: ["NotTerminating"] }, bestEffort, true],
    ["NotTerminating, with an end", { scopes: ["NotTerminating"] }, running({ activeDeadlineSeconds: 5 }), false],
    ["BestEffort", { scopes: ["BestEffort"] }, bestEffort, true],
    ["BestEffort, with requests", { scopes: ["BestEffort"] }, burstable, false],
    ["NotBestEffort", { scopes: ["NotBestEffort"] }, burstable, true],
    ["NotBestEffort, without requests", { scopes: ["NotBestEffort"] }, bestEffort, false],
    ["an object in both of two scopes", { scopes: ["BestEffort", "NotTerminating"] }, bestEffort, true],
    ["an object in one of two scopes", { scopes: ["BestEffort", "Terminating"] }, bestEffort, false],
    ["an object by each notation of a scope", { scopes: ["BestEffort"], ...scope("Terminating") }, bestEffort, false],
    ["a priority class", scope("PriorityClass", "In", ["high"]), running({ priorityClassName: "high" }), true],
    ["another priority class", scope("PriorityClass", "In", ["high"]), running({ priorityClassName: "low" }), false],
    ["none of the classes", scope("PriorityClass", "NotIn", ["high"]), running({ priorityClassName: "low" }), true],
    ["any class", scope("PriorityClass"), running({ priorityClassName: "low" }), true],
    ["no class", scope("PriorityClass"), bestEffort, false],
    ["without a class", scope("PriorityClass", "DoesNotExist"), bestEffort, true],
    ["affinity to its own namespace", scope("CrossNamespacePodAffinity"), affine(false, {}), false],
    ["affinity to other namespaces", scope("CrossNamespacePodAffinity"), affine(false, { namespaces: ["x"] }), true],
    ["to no other by name", scope("CrossNamespacePodAffinity"), affine(false, { namespaces: [] }), false],
    ["by a selector", scope("CrossNamespacePodAffinity"), affine(true, { namespaceSelector: {} }), true],
    ["without affinity", scope("CrossNamespacePodAffinity"), bestEffort, false],
    ["a scope of other kinds", scope("VolumeAttributesClass"), bestEffort, false],
  ])("selects %s", ([, spec, object, expected]) => {
    expect(isFor(spec, object)).toBe(expected);
  });

  test("counts existing objects in all of its scopes", () => {
    const scoped = quota({ hard: { pods: "1" }, spec: { scopes: ["BestEffort"] } });
    const storedPod = (object: ReturnType<typeof running>) => ({ kind: pods as Kind, object });
    expect(errorOf(pods, "CREATE", { object: bestEffort }, scoped, storedPod(burstable))).toBe("");
    expect(errorOf(pods, "CREATE", { object: bestEffort }, scoped, storedPod(bestEffort))).toContain("used: pods=1");
  });

  test("selects no kinds but pods and claims", () => {
    const spec = { scopes: ["NotTerminating"] };
    expect(errorOf(secrets, "CREATE", { object: secret() }, quota({ hard: { secrets: "0" }, spec }))).toBe("");
    expect(errorOf(services, "CREATE", { object: service("NodePort") }, quota({ hard: { services: "0" }, spec }))).toBe(
      "",
    );
  });

  test.for<[string, object, object, object, boolean]>([
    [
      "the requested class",
      scope("VolumeAttributesClass", "In", ["fast"]),
      { volumeAttributesClassName: "fast" },
      {},
      true,
    ],
    [
      "the current class",
      scope("VolumeAttributesClass", "In", ["fast"]),
      {},
      { currentVolumeAttributesClassName: "fast" },
      true,
    ],
    [
      "the target class",
      scope("VolumeAttributesClass", "In", ["fast"]),
      { volumeAttributesClassName: "slow" },
      { modifyVolumeStatus: { status: "Pending", targetVolumeAttributesClassName: "fast" } },
      true,
    ],
    ["another", scope("VolumeAttributesClass", "In", ["fast"]), { volumeAttributesClassName: "slow" }, {}, false],
    ["none", scope("VolumeAttributesClass", "DoesNotExist"), { volumeAttributesClassName: "" }, {}, true],
    ["any, of none", scope("VolumeAttributesClass"), {}, {}, false],
    ["a scope of pods", { scopes: ["BestEffort"] }, {}, {}, false],
    [
      "a scope of pods, for a claim with a class",
      { scopes: ["BestEffort"] },
      { volumeAttributesClassName: "fast" },
      {},
      false,
    ],
  ])("selects a claim by its attributes class: %s", ([, spec, more, status, expected]) => {
    const object = objectOf(persistentVolumeClaims, { ...claim("1", "c", more), status });
    const answer = errorOf(
      persistentVolumeClaims,
      "CREATE",
      { object },
      quota({ hard: { persistentvolumeclaims: "0" }, spec }),
    );
    expect(answer !== "").toBe(expected);
  });
});

function service(type: string, ports = 1, more: object = {}) {
  return objectOf(services, {
    metadata: { name: "svc", ...where },
    spec: { type, ports: Array.from({ length: ports }, (_, at) => ({ port: 80 + at })), ...more },
  });
}
