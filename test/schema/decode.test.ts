import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { decode } from "../../shared/schema/decode.ts";
import { cannotBeHandled, strictMessage, strictWarnings } from "../../shared/schema/wording.ts";

const deployment = "io.k8s.api.apps.v1.Deployment";
const pod = "io.k8s.api.core.v1.Pod";
const configMap = "io.k8s.api.core.v1.ConfigMap";
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "accepted";
}

describe("the canonical form", () => {
  test("contains structs always, and empty optional fields never", () => {
    const { object } = decode(deployment, {
      metadata: { name: "web", labels: {}, finalizers: [], namespace: "" },
      apiVersion: "apps/v1",
      kind: "Deployment",
      spec: { paused: false, minReadySeconds: 0, replicas: 0, selector: null },
    });
    expect(JSON.stringify(object)).toBe(
      JSON.stringify({
        kind: "Deployment",
        apiVersion: "apps/v1",
        metadata: { name: "web" },
        spec: { replicas: 0, template: { metadata: {}, spec: { containers: [] } }, strategy: {} },
        status: {},
      }),
    );
  });

  test("contains optional fields that upstream prints", () => {
    expect(decode("io.k8s.api.core.v1.Event", {}).object).toEqual({
      metadata: {},
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: "",
      reportingInstance: "",
    });
    expect(decode("io.k8s.api.core.v1.ResourceFieldSelector", { resource: "limits.cpu" }).object).toEqual({
      resource: "limits.cpu",
      divisor: "0",
    });
  });

  test("has fields in the order of declaration and sorted map keys", () => {
    const { object } = decode(meta, { labels: { b: "2", a: "1" }, name: "x" });
    expect(JSON.stringify(object)).toBe('{"name":"x","labels":{"a":"1","b":"2"}}');
  });

  test("has null for an unset time, except creationTimestamp", () => {
    const { object } = decode("io.k8s.api.apps.v1.DeploymentCondition", { type: "A", status: "True" });
    expect(object).toEqual({ type: "A", status: "True", lastUpdateTime: null, lastTransitionTime: null });
    expect(decode(meta, { creationTimestamp: null }).object).toEqual({});
    expect(decode(meta, { creationTimestamp: "0001-01-01T00:00:00Z" }).object).toEqual({});
  });

  test("has zero values for null items of lists and maps", () => {
    expect(decode(configMap, { data: { a: null } }).object).toEqual({ metadata: {}, data: { a: "" } });
    const { object } = decode("io.k8s.api.core.v1.PodSpec", { containers: [null] });
    expect(object).toEqual({ containers: [{ name: "", resources: {} }] });
  });

  test.each([
    ["1000m", "1"],
    ["0.5", "500m"],
    ["1024Mi", "1Gi"],
    [2, "2"],
    [0.1, "100m"],
  ])("has the quantity %s as %s", (input, canonical) => {
    const { object } = decode("io.k8s.api.core.v1.ResourceRequirements", { limits: { cpu: input } });
    expect(object).toEqual({ limits: { cpu: canonical } });
  });

  test.each([
    ["2026-02-03T04:05:06Z", "2026-02-03T04:05:06Z"],
    ["2026-02-03T04:05:06.999Z", "2026-02-03T04:05:06Z"],
    ["2026-02-03T01:05:06+02:00", "2026-02-02T23:05:06Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
  ])("has the time %s as %s", (input, canonical) => {
    expect(decode(meta, { deletionTimestamp: input }).object).toEqual({ deletionTimestamp: canonical });
  });

  test("keeps the type of an intOrString, and contains a required one", () => {
    expect(decode("io.k8s.api.core.v1.HTTPGetAction", {}).object).toEqual({ port: 0 });
    expect(decode("io.k8s.api.core.v1.HTTPGetAction", { port: "http" }).object).toEqual({ port: "http" });
  });

  test("has the fields of an inlined struct in the object itself", () => {
    const volume = { name: "v", emptyDir: {} };
    const { object, unknown } = decode("io.k8s.api.core.v1.Volume", volume);
    expect([object, unknown]).toEqual([volume, []]);
  });

  test("removes line breaks of base64 and keeps the rest", () => {
    const { object } = decode("io.k8s.api.core.v1.Secret", { data: { a: "YWJj\nZA==", b: "" } });
    expect(object).toEqual({ metadata: {}, data: { a: "YWJjZA==", b: "" } });
  });

  test("treats __proto__ as a key", () => {
    const input = JSON.parse('{"data":{"__proto__":"x"}}');
    expect(JSON.stringify(decode(configMap, input).object)).toBe('{"metadata":{},"data":{"__proto__":"x"}}');
    expect(decode(configMap, JSON.parse('{"__proto__":{}}')).unknown).toEqual(["__proto__"]);
    expect(decode(configMap, { constructor: 1 }).unknown).toEqual(["constructor"]);
  });

  test("is the empty object for an absent value", () => {
    expect(decode(configMap, undefined).object).toEqual({ metadata: {} });
    expect(decode(configMap, null).object).toEqual({ metadata: {} });
  });
});

describe("unknown fields", () => {
  test("are named by path, in the order of the document, and dropped", () => {
    const { object, unknown } = decode(deployment, {
      zeta: 1,
      spec: { template: { spec: { containers: [{ name: "a", foo: 1 }], volumes: [{ bar: 1 }] } }, Replicas: 3 },
    });
    expect(unknown).toEqual([
      "zeta",
      "spec.template.spec.containers[0].foo",
      "spec.template.spec.volumes[0].bar",
      "spec.Replicas",
    ]);
    expect(JSON.stringify(object)).not.toMatch(/foo|bar|zeta|Replicas/);
  });

  test("become one error or one warning each", () => {
    expect(strictWarnings(["spec.foo"], ["spec.bar", "spec.foo.a"])).toEqual([
      'unknown field "spec.foo"',
      'duplicate field "spec.bar"',
    ]);
    expect(strictMessage(strictWarnings(["spec.foo"], ["spec.bar"]))).toBe(
      'strict decoding error: unknown field "spec.foo", duplicate field "spec.bar"',
    );
    expect(strictMessage([])).toBeUndefined();
  });

  test("are reported in an error with the body's kind", () => {
    expect(cannotBeHandled({ kind: "Deployment", version: "v1" }, "why").toStatus()).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: 'Deployment in version "v1" cannot be handled as a Deployment: why',
    });
  });
});

describe("a value of the wrong type", () => {
  test.each([
    [deployment, { spec: { replicas: "3" } }, "string into Go struct field DeploymentSpec.spec.replicas of type int32"],
    [
      deployment,
      { spec: { replicas: 1.5 } },
      "number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      deployment,
      { spec: { replicas: 2 ** 31 } },
      "number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      pod,
      { spec: { containers: [{ env: [{ value: 1 }] }] } },
      "number into Go struct field EnvVar.spec.containers.env.value of type string",
    ],
    [pod, { spec: { containers: "x" } }, "string into Go struct field PodSpec.spec.containers of type []v1.Container"],
    [pod, { spec: [] }, "array into Go struct field Pod.spec of type v1.PodSpec"],
    [pod, { metadata: { labels: { a: true } } }, "bool into Go struct field ObjectMeta.metadata.labels of type string"],
    [
      pod,
      { metadata: { labels: [] } },
      "array into Go struct field ObjectMeta.metadata.labels of type map[string]string",
    ],
    [pod, [], "array into Go value of type v1.Pod"],
    [
      pod,
      { spec: { containers: [{ imagePullPolicy: 1 }] } },
      "number into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy",
    ],
    ["io.k8s.api.core.v1.HTTPGetAction", { port: true }, "bool into Go struct field HTTPGetAction.port of type int32"],
  ])("is a 400 with the message of Go's decoder: %s %j", (type, value, message) => {
    expect(refusal(() => decode(type, value))).toBe(`400 json: cannot unmarshal ${message}`);
  });

  test.each([
    ["abc", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1MM", "unable to parse quantity's suffix"],
  ])("is a 400 for the quantity %j", (input, message) => {
    const value = { requests: { memory: input } };
    expect(refusal(() => decode("io.k8s.api.core.v1.ResourceRequirements", value))).toBe(`400 ${message}`);
  });

  test.each([
    ["tomorrow", 'parsing time "tomorrow" as "2006-01-02T15:04:05Z07:00": cannot parse "tomorrow" as "2006"'],
    ["2026-01-02", 'parsing time "2026-01-02" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ["2026-02-30T00:00:00Z", 'parsing time "2026-02-30T00:00:00Z": day out of range'],
  ])("is a 400 for the time %s", (input, message) => {
    expect(refusal(() => decode(meta, { creationTimestamp: input }))).toBe(`400 ${message}`);
  });

  test("is a 400 for a microtime without six decimals", () => {
    expect(refusal(() => decode("io.k8s.api.coordination.v1.LeaseSpec", { renewTime: "2026-01-01T00:00:00Z" }))).toBe(
      '400 parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    );
  });

  test("is a 400 for bytes that are not base64", () => {
    const refused = refusal(() => decode("io.k8s.api.core.v1.Secret", { data: { a: "ab!d" } }));
    expect(refused).toBe("400 illegal base64 data at input byte 2");
  });
});
