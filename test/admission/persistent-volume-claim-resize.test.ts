import { describe, expect, test } from "vitest";
import { persistentVolumeClaimResize } from "../../worker/admission/persistent-volume-claim-resize.ts";
import { persistentVolumeClaims } from "../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { storageClasses } from "../../worker/kinds/storage/storage-class.ts";
import { admit, objectOf, requestOf, stored } from "./request.ts";

const claim = (storage: string, phase: string, storageClassName?: string) =>
  objectOf(persistentVolumeClaims, {
    metadata: { name: "data", namespace: "team" },
    spec: { storageClassName, resources: { requests: { storage } } },
    status: { phase },
  });

const resize = (to: string, phase = "Bound", storageClassName?: string) => {
  const storedObjects = [
    stored(storageClasses, { metadata: { name: "fast" }, allowVolumeExpansion: true }),
    stored(storageClasses, { metadata: { name: "fixed" } }),
  ];
  const [object, previous] = [claim(to, phase, storageClassName), claim("1Gi", phase, storageClassName)];
  admit(
    persistentVolumeClaimResize,
    requestOf(persistentVolumeClaims, "UPDATE", { object, previous, stored: storedObjects }),
  );
};

describe("PersistentVolumeClaimResize", () => {
  test("lets a bound claim of a class with expansion grow", () => {
    expect(() => resize("2Gi", "Bound", "fast")).not.toThrow();
  });

  test("ignores claims that do not grow", () => {
    expect(() => resize("1024Mi", "Pending")).not.toThrow();
  });

  test("rejects the growth of an unbound claim", () => {
    expect(() => resize("2Gi", "Pending", "fast")).toThrow("Only bound persistent volume claims can be expanded");
  });

  test.each(["fixed", "gone", undefined])("rejects the growth of a claim of class %s", (name) => {
    expect(() => resize("2Gi", "Bound", name)).toThrow("the storageclass that provisions the pvc must support resize");
  });
});
