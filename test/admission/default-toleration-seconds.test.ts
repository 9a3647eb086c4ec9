import { describe, expect, test } from "vitest";
import { defaultTolerationSeconds } from "../../worker/admission/default-toleration-seconds.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { podOf } from "./pods.ts";
import { admit, requestOf } from "./request.ts";

const toleration = (key: string) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";
const create = (tolerations?: object[], subresource = "") => {
  const object = podOf({ tolerations });
  admit(defaultTolerationSeconds, requestOf(pods, "CREATE", { object, subresource }));
  return object.spec.tolerations;
};

describe("DefaultTolerationSeconds", () => {
  test("adds both tolerations after the existing ones", () => {
    const existing = { key: "gpu", operator: "Exists", effect: "NoSchedule" };
    expect(create([existing])).toEqual([existing, toleration(notReady), toleration(unreachable)]);
  });

  test("adds tolerations that are missing", () => {
    const existing = { ...toleration(notReady), tolerationSeconds: 5 };
    expect(create([existing])).toEqual([existing, toleration(unreachable)]);
  });

  test("adds nothing if everything is tolerated", () => {
    const all = { operator: "Exists" };
    expect(create([all])).toEqual([all]);
  });

  test("does not count a toleration of another effect", () => {
    expect(create([{ operator: "Exists", effect: "NoSchedule" }])).toHaveLength(3);
  });

  test("ignores subresources", () => {
    expect(create(undefined, "status")).toBeUndefined();
  });
});
