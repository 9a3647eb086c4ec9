import { describe, expect, test } from "vitest";
import { storageObjectInUseProtection } from "../../worker/admission/storage-object-in-use-protection.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { persistentVolumeClaims } from "../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import { admit, objectOf, requestOf } from "./request.ts";

function finalizers(kind: Kind, operation: "CREATE" | "UPDATE", currentFinalizers: string[] = [], subresource = "") {
  const object = objectOf(kind, { metadata: { name: "data", finalizers: currentFinalizers } });
  admit(storageObjectInUseProtection, requestOf(kind, operation, { object, subresource }));
  return object.metadata.finalizers ?? [];
}

describe("StorageObjectInUseProtection", () => {
  // The type that every kind has.
  const claims = persistentVolumeClaims as Kind;
  const volumes = persistentVolumes as Kind;

  test.each([
    ["claims", claims, "kubernetes.io/pvc-protection"],
    ["volumes", volumes, "kubernetes.io/pv-protection"],
  ])("adds the finalizer to new %s", (_, kind, finalizer) => {
    expect(finalizers(kind, "CREATE", ["a.io/b"])).toEqual(["a.io/b", finalizer]);
    expect(finalizers(kind, "CREATE", [finalizer])).toEqual([finalizer]);
  });

  test("ignores updates and other kinds", () => {
    expect(finalizers(claims, "UPDATE")).toEqual([]);
    expect(finalizers(configMaps as Kind, "CREATE")).toEqual([]);
  });
});
