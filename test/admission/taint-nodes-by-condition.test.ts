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
  test("taints a new node after its own taints", () => {
    const own = { key: "gpu", effect: "NoExecute" };
    expect(write("CREATE", [own])).toEqual([own, taint]);
  });

  test("does not taint twice", () => {
    expect(write("CREATE", [{ ...taint, value: "x" }])).toEqual([{ ...taint, value: "x" }]);
  });

  test("leaves nodes alone that are there", () => {
    expect(write("UPDATE")).toBeUndefined();
  });
});
