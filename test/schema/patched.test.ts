import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { graphSchema } from "../../shared/schema/object-schema.ts";
import { decodePatched, strictlyRefused } from "../../shared/schema/patched.ts";

const deployment = "io.k8s.api.apps.v1.Deployment";

function refusal(run: () => unknown): [number, string] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message];
    throw error;
  }
  return [200, "accepted"];
}

describe("a patch with an undecodable result", () => {
  test.each([
    [{ spec: { replicas: "x" } }, "map[spec:map[replicas:x]]", "unrecognized type: int32"],
    [{ spec: { paused: 1 } }, "map[spec:map[paused:1]]", "unrecognized type: bool"],
    [{ metadata: { name: 1 } }, "map[metadata:map[name:1]]", "cannot convert int64 to string"],
    [{ metadata: { labels: "x" } }, "map[metadata:map[labels:x]]", "cannot restore map from string"],
    [{ spec: { strategy: [] } }, "map[spec:map[strategy:[]]]", "cannot restore struct from: slice"],
    [{ metadata: { finalizers: true } }, "map[metadata:map[finalizers:true]]", "cannot restore slice from bool"],
  ])("is a 422 about the strategic patch %j", (value, printed, cause) => {
    const patched = { form: "strategic", value, patch: value, duplicates: [] } as const;
    expect(refusal(() => decodePatched(graphSchema(deployment), patched))).toEqual([
      422,
      ` "" is invalid: patch: Invalid value: "${printed}": ${cause}`,
    ]);
  });

  test("is a 422 about the merge patch", () => {
    const value = { spec: { replicas: "x" } };
    const patched = { form: "merge", value, patch: {}, duplicates: [] } as const;
    expect(refusal(() => decodePatched(graphSchema(deployment), patched))).toEqual([
      422,
      ` "" is invalid: patch: Invalid value: ${JSON.stringify(JSON.stringify(value))}: ` +
        "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ]);
  });
});

describe("violations of a patched object", () => {
  test("start with the patch's own", () => {
    const patch = { spec: { foo: 1 } };
    const patched = { form: "strategic", value: patch, patch, duplicates: ["spec.foo"] } as const;
    const { violations } = decodePatched(graphSchema(deployment), patched);
    expect(violations).toEqual(['duplicate field "spec.foo"', 'unknown field "spec.foo"']);
    expect(strictlyRefused(patched, violations).message).toBe(
      ' "" is invalid: patch: Invalid value: "map[spec:map[foo:1]]": strict decoding error: duplicate field "spec.foo", unknown field "spec.foo"',
    );
  });

  test("name fields of operations as such", () => {
    const patch = [{ op: "add", path: "/spec/paused", value: true, extra: 1 }];
    const patched = { form: "json", value: { spec: { paused: true } }, patch, duplicates: [] } as const;
    expect(decodePatched(graphSchema(deployment), patched).violations).toEqual([
      'json patch unknown field "[0].extra"',
    ]);
  });
});
