import { describe, expect, test } from "vitest";
import { defaultIngressClass } from "../../worker/admission/default-ingress-class.ts";
import { defaultStorageClass } from "../../worker/admission/default-storage-class.ts";
import { ingressClasses } from "../../worker/kinds/networking/ingress-class.ts";
import { ingresses } from "../../worker/kinds/networking/ingress.ts";
import { persistentVolumeClaims } from "../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { storageClasses } from "../../worker/kinds/storage/storage-class.ts";
import { admit, objectOf, requestOf, stored } from "./request.ts";

const at = (name: string, day: number, annotations = {}) => ({
  metadata: { name, creationTimestamp: `2026-01-0${day}T00:00:00Z`, annotations },
});

describe("DefaultIngressClass", () => {
  const mark = { "ingressclass.kubernetes.io/is-default-class": "true" };
  const create = (spec: object, annotations = {}) => {
    const object = objectOf(ingresses, { metadata: { name: "web", namespace: "team", annotations }, spec });
    const storedClasses = [at("old", 1, mark), at("new", 2, mark), at("other", 3)].map((ingressClass) =>
      stored(ingressClasses, ingressClass),
    );
    admit(defaultIngressClass, requestOf(ingresses, "CREATE", { object, stored: storedClasses }));
    return object.spec.ingressClassName;
  };

  test("gives an Ingress without a class the newest default", () => {
    expect(create({})).toBe("new");
  });

  test("keeps the class of an Ingress, also in the legacy annotation", () => {
    expect(create({ ingressClassName: "other" })).toBe("other");
    expect(create({}, { "kubernetes.io/ingress.class": "other" })).toBeUndefined();
  });
});

describe("DefaultStorageClass", () => {
  const mark = { "storageclass.kubernetes.io/is-default-class": "true" };
  const create = (spec: object, annotations = {}) => {
    const object = objectOf(persistentVolumeClaims, {
      metadata: { name: "data", namespace: "team", annotations },
      spec,
    });
    const storedClasses = [at("b", 1, mark), at("a", 1, mark), at("other", 3)].map((storageClass) =>
      stored(storageClasses, storageClass),
    );
    admit(defaultStorageClass, requestOf(persistentVolumeClaims, "CREATE", { object, stored: storedClasses }));
    return object.spec.storageClassName;
  };

  test("gives a claim without a class the default; of equally old ones, the first by name", () => {
    expect(create({})).toBe("a");
  });

  test("keeps a claim with an empty class without one", () => {
    expect(create({ storageClassName: "" })).toBe("");
    expect(create({}, { "volume.beta.kubernetes.io/storage-class": "x" })).toBeUndefined();
  });
});
