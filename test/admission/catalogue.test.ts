import { expect, test } from "vitest";
import { plugins } from "../../worker/admission/catalogue.ts";

test("plugins stand in upstream's order", () => {
  expect(plugins.map(({ name }) => name)).toEqual([
    "NamespaceLifecycle",
    "ServiceAccount",
    "TaintNodesByCondition",
    "Priority",
    "DefaultTolerationSeconds",
    "RuntimeClass",
    "CertificateSubjectRestriction",
    "DefaultIngressClass",
  ]);
});
