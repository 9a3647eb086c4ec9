import { describe, expect, test } from "vitest";
import { runtimeClass } from "../../worker/admission/runtime-class/plugin.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { runtimeClasses } from "../../worker/kinds/node/runtime-class.ts";
import { podOf } from "./pods.ts";
import { admit, requestOf, stored } from "./request.ts";

const gvisor = {
  metadata: { name: "gvisor" },
  handler: "runsc",
  overhead: { podFixed: { cpu: "250m" } },
  scheduling: { nodeSelector: { sandbox: "yes" }, tolerations: [{ key: "sandbox", operator: "Exists" }] },
};

const create = (spec: object) => {
  const object = podOf(spec);
  admit(runtimeClass, requestOf(pods, "CREATE", { object, stored: [stored(runtimeClasses, gvisor)] }));
  return object.spec;
};

describe("RuntimeClass", () => {
  test("gives a pod the overhead, the node selector and the tolerations of its class", () => {
    const tolerations = [{ key: "sandbox", operator: "Equal", value: "x" }];
    expect(create({ runtimeClassName: "gvisor", nodeSelector: { zone: "a" }, tolerations })).toMatchObject({
      overhead: { cpu: "250m" },
      nodeSelector: { zone: "a", sandbox: "yes" },
      tolerations: [{ key: "sandbox", operator: "Exists" }],
    });
  });

  test("rejects a missing class", () => {
    expect(() => create({ runtimeClassName: "kata" })).toThrow(
      'pods "web" is forbidden: pod rejected: RuntimeClass "kata" not found',
    );
  });

  test("rejects a different overhead, but not an equal one in another notation", () => {
    expect(create({ runtimeClassName: "gvisor", overhead: { cpu: "0.25" } }).overhead).toEqual({ cpu: "250m" });
    expect(() => create({ runtimeClassName: "gvisor", overhead: { cpu: "1" } })).toThrow(
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    );
    expect(() => create({ overhead: { cpu: "1" } })).toThrow(
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    );
  });

  test("rejects a conflicting node selector", () => {
    expect(() => create({ runtimeClassName: "gvisor", nodeSelector: { sandbox: "no" } })).toThrow(
      "conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; pod.spec.nodeSelector[sandbox] = no",
    );
  });
});
