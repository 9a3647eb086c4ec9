import { expect, test } from "vitest";
import { plugins, pluginsWith } from "../../worker/admission/catalogue.ts";

test("plugins are in upstream's order", () => {
  expect(plugins.map(({ name }) => name)).toEqual([
    "NamespaceLifecycle",
    "LimitRanger",
    "ServiceAccount",
    "TaintNodesByCondition",
    "PodSecurity",
    "Priority",
    "DefaultTolerationSeconds",
    "DefaultStorageClass",
    "StorageObjectInUseProtection",
    "PersistentVolumeClaimResize",
    "RuntimeClass",
    "CertificateApproval",
    "CertificateSigning",
    "CertificateSubjectRestriction",
    "DefaultIngressClass",
    "PodTopologyLabels",
    "NodeDeclaredFeatureValidator",
    "PodResizeValidator",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
    "ResourceQuota",
  ]);
});

test("enabled plugins are at upstream's position", () => {
  const names = pluginsWith([
    "DenyServiceExternalIPs",
    "OwnerReferencesPermissionEnforcement",
    "AlwaysPullImages",
    "NodeRestriction",
  ]).map(({ name }) => name);
  const before = (name: string) => names[names.indexOf(name) - 1];
  expect(before("NodeRestriction")).toBe("ServiceAccount");
  expect(before("AlwaysPullImages")).toBe("TaintNodesByCondition");
  expect(before("OwnerReferencesPermissionEnforcement")).toBe("StorageObjectInUseProtection");
  expect(before("DenyServiceExternalIPs")).toBe("DefaultIngressClass");
  expect(names).toHaveLength(plugins.length + 4);
});
