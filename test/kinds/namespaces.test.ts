import { expect, test } from "vitest";
import type { Namespace } from "../../shared/k8s/api/core-v1.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";

const namespace = (specFinalizers: string[], meta: string[] = []): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "team", finalizers: meta },
  spec: { finalizers: specFinalizers },
  status: { phase: "Active" },
});

test("a deletion sets the phase Terminating", () => {
  const draft = namespace(["kubernetes"]);
  namespaces.deletion?.finalization?.begin(draft);
  expect(draft.status.phase).toBe("Terminating");
});

test("a namespace is removed when it has finalizers of neither kind", () => {
  expect(namespaces.deletion?.finalization?.done(namespace(["kubernetes"]))).toBe(false);
  expect(namespaces.deletion?.finalization?.done(namespace([], ["example.com/x"]))).toBe(false);
  expect(namespaces.deletion?.finalization?.done(namespace([]))).toBe(true);
});
