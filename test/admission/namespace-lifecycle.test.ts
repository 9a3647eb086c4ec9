import { describe, expect, test } from "vitest";
import { namespaceLifecycle } from "../../worker/admission/namespace-lifecycle.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { admit, objectOf, requestOf, stored } from "./request.ts";

const map = () => objectOf(configMaps, { metadata: { name: "conf", namespace: "team" } });
const namespace = (phase: string) => stored(namespaces, { metadata: { name: "team" }, status: { phase } });
const run = (...given: Parameters<typeof requestOf<ReturnType<typeof map>>>) =>
  admit(namespaceLifecycle, requestOf(...given));

describe("NamespaceLifecycle", () => {
  test("lets content into a namespace that is there", () => {
    expect(() => run(configMaps, "CREATE", { object: map(), there: [namespace("Active")] })).not.toThrow();
  });

  test.each(["CREATE", "UPDATE"] as const)("answers NotFound where the namespace is absent: %s", (operation) => {
    expect(() => run(configMaps, operation, { object: map() })).toThrow(
      expect.objectContaining({
        code: 404,
        message: 'namespaces "team" not found',
        details: { name: "team", kind: "namespaces" },
      }),
    );
  });

  test("refuses new content in a namespace that is going, with upstream's cause", () => {
    expect(() => run(configMaps, "CREATE", { object: map(), there: [namespace("Terminating")] })).toThrow(
      expect.objectContaining({
        code: 403,
        message:
          'configmaps "conf" is forbidden: unable to create new content in namespace team because it is being terminated',
        details: {
          name: "conf",
          kind: "configmaps",
          causes: [
            {
              reason: "NamespaceTerminating",
              message: "namespace team is being terminated",
              field: "metadata.namespace",
            },
          ],
        },
      }),
    );
  });

  test("names an object that has only a prefix yet by its prefix", () => {
    const object = objectOf(configMaps, { metadata: { generateName: "conf-", namespace: "team" } });
    expect(() => run(configMaps, "CREATE", { object, there: [namespace("Terminating")] })).toThrow(
      /^configmaps "conf-" is forbidden/,
    );
  });

  test("lets what is in a namespace that is going be changed and deleted", () => {
    const there = [namespace("Terminating")];
    expect(() => run(configMaps, "UPDATE", { object: map(), there })).not.toThrow();
    expect(() => run(configMaps, "DELETE", { namespace: "team", name: "conf", there })).not.toThrow();
  });

  test.each(["default", "kube-system", "kube-public"])("keeps the namespace %s", (name) => {
    expect(() => admit(namespaceLifecycle, requestOf(namespaces, "DELETE", { name }))).toThrow(
      expect.objectContaining({
        code: 403,
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      }),
    );
  });

  test("lets other namespaces go, kube-node-lease among them", () => {
    expect(() => admit(namespaceLifecycle, requestOf(namespaces, "DELETE", { name: "kube-node-lease" }))).not.toThrow();
  });
});
