// Revisions and their history.
import { expect, test } from "vitest";
import { lastRevision, maxRevision, newSetAnnotations } from "../../../worker/controllers/deployment/annotations.ts";
import { deployment, replicaSet } from "../builders.ts";

const revision = "deployment.kubernetes.io/revision";
const history = "deployment.kubernetes.io/revision-history";

test("a ReplicaSet inherits annotations, except those of the Deployment itself", () => {
  const owner = deployment({
    metadata: {
      annotations: {
        "kubernetes.io/change-cause": "create",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        [revision]: "7",
      },
    },
  });
  expect(newSetAnnotations(owner, {}, 1n)).toEqual({ "kubernetes.io/change-cause": "create", [revision]: "1" });
});

test("a ReplicaSet after a rollback keeps its earlier revisions", () => {
  const second = newSetAnnotations(deployment(), { [revision]: "1" }, 3n);
  expect(second).toEqual({ [revision]: "3", [history]: "1" });
  expect(newSetAnnotations(deployment(), second, 5n)).toEqual({ [revision]: "5", [history]: "1,3" });
});

test("a revision never decreases, and an invalid one is not changed", () => {
  expect(newSetAnnotations(deployment(), { [revision]: "4" }, 2n)).toEqual({ [revision]: "4" });
  expect(newSetAnnotations(deployment(), { [revision]: "x" }, 2n)).toEqual({ [revision]: "x" });
});

test("the history is bounded: the oldest revisions are dropped", () => {
  const long = Array.from({ length: 700 }, (_, at) => String(at + 100)).join(",");
  const next = newSetAnnotations(deployment(), { [revision]: "900", [history]: long }, 901n)[history] ?? "";
  expect(next.length).toBeLessThanOrEqual(2000);
  expect(next.endsWith(",799,900")).toBe(true);
});

test("revisions are 64-bit numbers", () => {
  const sets = ["3546343826724305832", "9223372036854775808"].map((setRevision) =>
    replicaSet("a", 0, {}, { annotations: { [revision]: setRevision } }),
  );
  expect(maxRevision(sets) + 1n).toBe(3_546_343_826_724_305_833n);
});

test("the last revision is the second highest", () => {
  const sets = ["3", "1", "2"].map((setRevision) =>
    replicaSet(setRevision, 0, {}, { annotations: { [revision]: setRevision } }),
  );
  expect(lastRevision(sets)).toBe(2n);
  expect(lastRevision(sets.slice(0, 1))).toBe(0n);
});
