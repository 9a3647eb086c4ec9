import { describe, expect, test } from "vitest";
import type { Toleration } from "../../shared/k8s/api/core-v1.ts";
import { mergeTolerations } from "../../worker/admission/runtime-class/tolerations.ts";

const exists: Toleration = { key: "a", operator: "Exists" };
const equal: Toleration = { key: "a", operator: "Equal", value: "x" };
const short: Toleration = { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 10 };
const long: Toleration = { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 20 };

describe("mergeTolerations", () => {
  test.each([
    ["equal tolerations are merged into one", [exists], [exists], [exists]],
    ["a toleration that a later one covers is dropped", [equal], [exists], [exists]],
    ["a toleration that an earlier one covers is dropped", [exists], [equal], [exists]],
    ["the longer of two times is kept", [short], [long], [long]],
    ["the wildcard covers every key", [equal, short], [{ operator: "Exists" }], [{ operator: "Exists" }]],
    [
      "different effects are kept",
      [short],
      [{ ...equal, effect: "NoSchedule" }],
      [short, { ...equal, effect: "NoSchedule" }],
    ],
  ] as const)("%s", (_, first, second, merged) => {
    expect(mergeTolerations(first, second)).toEqual(merged);
  });
});
