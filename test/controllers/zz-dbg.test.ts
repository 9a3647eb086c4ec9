import { test } from "vitest";
import * as f from "./fake-node.ts";
import { newCluster } from "../cluster.ts";
import { nodes } from "../../worker/kinds/nodes.ts";
import { pods } from "../../worker/kinds/pods.ts";
test("x", () => {
  try { f.workloadCluster(); } catch (e) { console.log(String(e).slice(0, 200)); }
});
