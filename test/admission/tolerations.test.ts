import { describe, expect, test } from "vitest";
import type { Toleration } from "../../shared/k8s/api/core-v1.ts";
import { mergeTolerations } from "../../worker/admission/runtime-class/tolerations.ts";

const exists: Toleration = { key: "a", operator: "Exists" };
const equal: Toleration = { key: "a", operator: "Equal", value: "x" };
const short: Toleration = { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 10 };
const long: Toleration = { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 20 };

describe("mergeTolerations", () => {
  test.each([
    ["equal ones stand once", [exists], [exists], [exists]],
    ["what is covered by a later one goes", [equal], [exists], [exists]],
    ["what is covered by an earlier one goes", [exists], [equal], [exists]],
    ["the longer of two times stays", [short], [long], [long]],
    ["the wildcard covers every key", [equal, short], [{ operator: "Exists" }], [{ operator: "Exists" }]],
    [
      "different effects stand side by side",
      [short],
      [{ ...equal, effect: "NoSchedule" }],
      [short, { ...equal, effect: "NoSchedule" }],
    ],
  ] as const)("%s", (_, first, second, merged) => {
    expect(mergeTolerations(first, second)).toEqual(merged);
  });
});
