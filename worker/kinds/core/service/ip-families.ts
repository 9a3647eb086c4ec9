// Sets `ipFamilies` and `ipFamilyPolicy` by the cluster's families: upstream's `initIPFamilyFields`.
import type { IPFamily, Service } from "../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, invalid, path } from "../../../../shared/k8s/field.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { parseIp } from "../../../../shared/k8s/ip.ts";
import { validateServiceClusterIpsRelatedFields } from "./validation/cluster-ips.ts";

/** Sets the fields. `available` are the cluster's families, default first. */
export function initIpFamilyFields(
  draft: Service,
  previous: Service | undefined,
  available: readonly IPFamily[],
): void {
  const { spec } = draft;
  if (spec.type === "ExternalName" || keepsPreferDualStack(draft, previous)) return;
  const isSelectorless = spec.clusterIP === "None" && !Object.keys(spec.selector ?? {}).length;
  spec.ipFamilyPolicy ??= previous?.spec.ipFamilyPolicy ?? (isSelectorless ? "RequireDualStack" : "SingleStack");
  refuse(draft, validateServiceClusterIpsRelatedFields(draft));
  refuse(draft, [...shrink(draft, previous), ...validatePolicy(draft), ...inferFamilies(draft, available)]);
  if (isSelectorless) {
    // Headless Services without selector get both families, even in a single-stack cluster.
    fillFamilies(draft, available, true);
    return;
  }
  refuse(draft, validateAvailable(draft, available));
  fillFamilies(draft, available, available.length === 2);
}

/** Adds the default family if none is set, and the other one for dual-stack. */
function fillFamilies({ spec }: Service, available: readonly IPFamily[], isDual: boolean): void {
  const [first = "IPv4", ...more] = spec.ipFamilies?.length ? spec.ipFamilies : available;
  const isGiven = (spec.ipFamilies?.length ?? 0) > 1;
  const wantsTwo = spec.ipFamilyPolicy !== "SingleStack" && isDual;
  if (isGiven) spec.ipFamilies = [first, ...more];
  else spec.ipFamilies = wantsTwo ? [first, first === "IPv4" ? "IPv6" : "IPv4"] : [first];
}

function refuse(draft: Service, errors: readonly FieldError[]): void {
  if (errors.length) throw ApiError.invalid({ group: "", name: "Service" }, draft.metadata.name ?? "", errors);
}

/** Reports whether an update leaves a PreferDualStack Service unchanged. */
function keepsPreferDualStack({ spec }: Service, previous: Service | undefined): boolean {
  if (spec.ipFamilyPolicy !== "PreferDualStack" || previous?.spec.ipFamilyPolicy !== "PreferDualStack") return false;
  const isSame = (a: readonly string[] = [], b: readonly string[] = []) => a.join() === b.join();
  if (spec.type !== previous.spec.type || !isSame(spec.clusterIPs, previous.spec.clusterIPs)) return false;
  return isSame(spec.ipFamilies, previous.spec.ipFamilies);
}

/** Releases the second address and family on a change to SingleStack. */
function shrink({ spec }: Service, previous: Service | undefined): FieldError[] {
  if (!previous) return [];
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const before = { ips: previous.spec.clusterIPs ?? [], families: previous.spec.ipFamilies ?? [] };
  if (spec.ipFamilyPolicy === "SingleStack") {
    if (clusterIPs.length > 1 && clusterIPs.join() === before.ips.join()) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (ipFamilies.length > 1 && ipFamilies.join() === before.families.join()) spec.ipFamilies = ipFamilies.slice(0, 1);
    return [];
  }
  const at = path("spec", "ipFamilyPolicy");
  const errors: FieldError[] = [];
  const isShortened = (now: readonly string[], then: readonly string[]) => now.length > 0 && now.length < then.length;
  if (isShortened(clusterIPs, before.ips)) {
    errors.push(invalid(at, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP"));
  }
  if (isShortened(ipFamilies, before.families)) {
    errors.push(invalid(at, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family"));
  }
  return errors;
}

function validatePolicy({ spec }: Service): FieldError[] {
  if (spec.ipFamilyPolicy !== "SingleStack") return [];
  const why = (what: string) => `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
  const at = path("spec", "ipFamilyPolicy");
  const errors: FieldError[] = [];
  if (spec.clusterIPs?.length === 2) errors.push(invalid(at, spec.ipFamilyPolicy, why("cluster IPs")));
  if (spec.ipFamilies?.length === 2) errors.push(invalid(at, spec.ipFamilyPolicy, why("IP families")));
  return errors;
}

/** Infers families from the given addresses. */
function inferFamilies({ spec }: Service, available: readonly IPFamily[]): FieldError[] {
  const families: IPFamily[] = [...(spec.ipFamilies ?? [])];
  const errors: FieldError[] = [];
  (spec.clusterIPs ?? []).forEach((ip, at) => {
    if (ip === "None" || at < families.length) return;
    const family = parseIp(ip)?.family;
    if (family && available.includes(family)) families.push(family);
    else {
      const why = `${family ?? ""} is not configured on this cluster`;
      errors.push(invalid(path("spec", "clusterIPs").index(at), spec.clusterIPs, why));
    }
  });
  if (families.length) spec.ipFamilies = families;
  return errors;
}

function validateAvailable({ spec }: Service, available: readonly IPFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === "RequireDualStack" && available.length < 2) {
    const why = "this cluster is not configured for dual-stack services";
    errors.push(invalid(path("spec", "ipFamilyPolicy"), spec.ipFamilyPolicy, why));
  }
  (spec.ipFamilies ?? []).forEach((family, at) => {
    if (available.includes(family)) return;
    errors.push(invalid(path("spec", "ipFamilies").index(at), family, "not configured on this cluster"));
  });
  return errors;
}
