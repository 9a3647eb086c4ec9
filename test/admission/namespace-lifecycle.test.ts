import { describe, expect, test } from "vitest";
import { namespaceLifecycle } from "../../worker/admission/namespace-lifecycle.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { admit, objectOf, requestOf, stored } from "./request.ts";

const map = () => objectOf(configMaps, { metadata: { name: "conf", namespace: "team" } });
const namespace = (phase: string) => stored(namespaces, { metadata: { name: "team" }, status: { phase } });
const run = (...args: Parameters<typeof requestOf<ReturnType<typeof map>>>) =>
  admit(namespaceLifecycle, requestOf(...args));

describe("NamespaceLifecycle", () => {
  test("allows creation in an existing namespace", () => {
    expect(() => run(configMaps, "CREATE", { object: map(), stored: [namespace("Active")] })).not.toThrow();
  });

  test.each(["CREATE", "UPDATE"] as const)("returns NotFound if the namespace is absent: %s", (operation) => {
    expect(() => run(configMaps, operation, { object: map() })).toThrow(
      expect.objectContaining({
        code: 404,
        message: 'namespaces "team" not found',
        details: { name: "team", kind: "namespaces" },
      }),
    );
  });

  test("rejects creation in a terminating namespace, with upstream's cause", () => {
    expect(() => run(configMaps, "CREATE", { object: map(), stored: [namespace("Terminating")] })).toThrow(
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

  test("names an object without a generated name by its prefix", () => {
    const object = objectOf(configMaps, { metadata: { generateName: "conf-", namespace: "team" } });
    expect(() => run(configMaps, "CREATE", { object, stored: [namespace("Terminating")] })).toThrow(
      /^configmaps "conf-" is forbidden/,
    );
  });

  test("allows updates and deletions in a terminating namespace", () => {
    const storedNamespaces = [namespace("Terminating")];
    expect(() => run(configMaps, "UPDATE", { object: map(), stored: storedNamespaces })).not.toThrow();
    expect(() =>
      run(configMaps, "DELETE", { namespace: "team", name: "conf", stored: storedNamespaces }),
    ).not.toThrow();
  });

  test.each(["default", "kube-system", "kube-public"])("prevents the deletion of the namespace %s", (name) => {
    expect(() => admit(namespaceLifecycle, requestOf(namespaces, "DELETE", { name }))).toThrow(
      expect.objectContaining({
        code: 403,
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      }),
    );
  });

  test("allows the deletion of other namespaces, also of kube-node-lease", () => {
    expect(() => admit(namespaceLifecycle, requestOf(namespaces, "DELETE", { name: "kube-node-lease" }))).not.toThrow();
  });
});
