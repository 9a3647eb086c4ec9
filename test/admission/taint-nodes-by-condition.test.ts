import { describe, expect, test } from "vitest";
import { taintNodesByCondition } from "../../worker/admission/taint-nodes-by-condition.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { admit, objectOf, requestOf } from "./request.ts";

const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const write = (operation: "CREATE" | "UPDATE", taints?: object[]) => {
  const object = objectOf(nodes, { metadata: { name: "n" }, spec: { taints } });
  admit(taintNodesByCondition, requestOf(nodes, operation, { object }));
  return object.spec.taints;
};

describe("TaintNodesByCondition", () => {
  test("adds the taint of a new node after its own", () => {
    const ownTaint = { key: "gpu", effect: "NoExecute" };
    expect(write("CREATE", [ownTaint])).toEqual([ownTaint, taint]);
  });

  test("adds the taint once", () => {
    expect(write("CREATE", [{ ...taint, value: "x" }])).toEqual([{ ...taint, value: "x" }]);
  });

  test("ignores existing nodes", () => {
    expect(write("UPDATE")).toBeUndefined();
  });
});
