import { expect, test } from "vitest";
import type { Namespace } from "../../shared/k8s/api/core-v1.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";

const namespace = (own: string[], meta: string[] = []): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "team", finalizers: meta },
  spec: { finalizers: own },
  status: { phase: "Active" },
});

test("a deletion begins by terminating", () => {
  const draft = namespace(["kubernetes"]);
  namespaces.deletion?.finalization?.begin(draft);
  expect(draft.status.phase).toBe("Terminating");
});

test("a namespace goes when nothing of either kind holds it", () => {
  expect(namespaces.deletion?.finalization?.done(namespace(["kubernetes"]))).toBe(false);
  expect(namespaces.deletion?.finalization?.done(namespace([], ["example.com/x"]))).toBe(false);
  expect(namespaces.deletion?.finalization?.done(namespace([]))).toBe(true);
});
