// The admission plugins in upstream's order (AllOrderedPlugins): the default ones, and the ones that a sandbox can enable. They see
// controllers' writes as well as users', unlike RBAC (see worker/registry/local-client.ts).
import { must } from "../../shared/base/assert.ts";
import type { OptionalPlugin } from "../../shared/contract/sandbox.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { alwaysPullImages } from "./always-pull-images.ts";
import { certificateApproval, certificateSigning } from "./certificate-permissions.ts";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { denyServiceExternalIps } from "./deny-service-external-ips.ts";
import { limitRanger } from "./limit-ranger/plugin.ts";
import { mutatingAdmissionPolicy } from "./mutating-admission-policy.ts";
import { mutatingWebhooks } from "./mutating-webhooks.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeDeclaredFeatures } from "./node-declared-features.ts";
import { nodeRestriction } from "./node-restriction/plugin.ts";
import { ownerReferencesPermissionEnforcement } from "./owner-references-permission-enforcement.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { podResize } from "./pod-resize.ts";
import { podSecurity } from "./pod-security/plugin.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { priority } from "./priority.ts";
import { resourceQuota } from "./resource-quota.ts";
import { runtimeClass } from "./runtime-class/plugin.ts";
import { serviceAccount } from "./service-account/plugin.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";
import { validatingAdmissionPolicy } from "./validating-admission-policy.ts";
import { validatingWebhooks } from "./validating-webhooks.ts";

export const plugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  taintNodesByCondition,
  podSecurity,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  defaultIngressClass,
  podTopologyLabels,
  nodeDeclaredFeatures,
  podResize,
  mutatingAdmissionPolicy,
  mutatingWebhooks,
  validatingAdmissionPolicy,
  validatingWebhooks,
  // The last plugin, because it counts only writes that all others allowed.
  resourceQuota,
];

/** The optional plugins, each with the plugin that follows it. */
const optional: Readonly<Record<OptionalPlugin, readonly [plugin: AdmissionPlugin, before: AdmissionPlugin]>> = {
  NodeRestriction: [nodeRestriction, taintNodesByCondition],
  AlwaysPullImages: [alwaysPullImages, podSecurity],
  OwnerReferencesPermissionEnforcement: [ownerReferencesPermissionEnforcement, persistentVolumeClaimResize],
  DenyServiceExternalIPs: [denyServiceExternalIps, podTopologyLabels],
};

/**
 * Returns the plugins of an API server with `--enable-admission-plugins` and `--disable-admission-plugins`. Names of plugins that do not exist
 * here have no effect.
 */
export function pluginsOfFlags(
  base: readonly AdmissionPlugin[],
  enabled: readonly string[],
  disabled: readonly string[],
): readonly AdmissionPlugin[] {
  let all = base;
  for (const [name, [plugin, before]] of Object.entries(optional))
    if (enabled.includes(name) && !all.includes(plugin))
      all = all.toSpliced(Math.max(0, all.indexOf(before)), 0, plugin);
  return all.filter(({ name }) => !disabled.includes(name));
}

/** Returns the default plugins and the named optional ones, in order. */
export function pluginsWith(names: readonly OptionalPlugin[]): readonly AdmissionPlugin[] {
  return names.reduce<readonly AdmissionPlugin[]>((all, name) => {
    const [plugin, before] = must(optional[name], name);
    return all.toSpliced(all.indexOf(before), 0, plugin);
  }, plugins);
}
