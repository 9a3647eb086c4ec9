// The node limit of a sandbox.
import { expect, test } from "vitest";
import { nodeLimit } from "../../worker/admission/node-limit.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { objectOf, requestOf, stored } from "./request.ts";

const node = (name: string) => ({ apiVersion: "v1", kind: "Node", metadata: { name } });
const storedNodes = [stored(nodes, node("a")), stored(nodes, node("b"))];
const object = objectOf(nodes, node("c"));

test("B1: a node beyond the limit is rejected, and nothing else", () => {
  const bounds = { nodes: 2 };
  const { validate } = nodeLimit(bounds);
  expect(() => validate?.(requestOf(nodes, "CREATE", { object, stored: storedNodes }))).toThrow(
    "exceeded limit of this sandbox: requested: nodes=1, used: nodes=2, limited: nodes=2",
  );
  validate?.(requestOf(nodes, "UPDATE", { object, previous: object, stored: storedNodes }));
  validate?.(requestOf(nodes, "UPDATE", { object, previous: object, subresource: "status", stored: storedNodes }));
  const pod = objectOf(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" } });
  validate?.(requestOf(pods, "CREATE", { object: pod, stored: storedNodes }));
  // The limits may change.
  bounds.nodes = 3;
  validate?.(requestOf(nodes, "CREATE", { object, stored: storedNodes }));
});
