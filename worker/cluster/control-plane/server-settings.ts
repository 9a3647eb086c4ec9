// The settings of the API server that runs on the control plane's node: flags of its container, and its files as they were when it started.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type AuditPolicy, readAuditPolicy } from "../../../shared/k8s/audit/policy.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { type EncryptedResources, readEncryptionConfig } from "../../containers/node/encryption-config.ts";
import { applyEdit, type Edit, Files } from "../../containers/shell/files.ts";
import { type Flags, flagsOf } from "../../machine/flags.ts";
import { mountOf, insideOf, claimMounts } from "../runs/claim-mounts.ts";

export interface ServerSettings {
  readonly allowsAnonymous: boolean;
  /** Empty without the flag: then everything is allowed, as upstream. */
  readonly authorizationModes: readonly string[];
  readonly enabledPlugins: readonly string[];
  readonly disabledPlugins: readonly string[];
  /** `path`: the log's path on the node. Undefined if no file of the node is written. */
  readonly audit: { readonly policy: AuditPolicy; readonly path: string } | undefined;
  readonly encryption: readonly EncryptedResources[];
}

/** The milliseconds that are missing in the time at which a container started. */
const secondMs = 999;

/** Returns the settings of a running API server. `edits`: the edits of its node's files. */
export function serverSettings(pod: Pod, startedAt: string, edits: readonly Edit[]): ServerSettings {
  const [container] = pod.spec.containers;
  const flags = flagsOf([...(container?.command ?? []), ...(container?.args ?? [])].slice(1));
  const startMs = parseTime(startedAt) + secondMs;
  const files = new Files();
  for (const edit of edits) if (edit.atMs <= startMs) applyEdit(files, edit);
  const mounts = claimMounts(pod, container?.name ?? "");
  const onNode = (path: string) => {
    const mount = mountOf(mounts, path);
    return mount?.claim.startsWith("/") ? insideOf(mount, path) : undefined;
  };
  const textOf = (flag: string) => {
    const path = flags.get(flag);
    const nodePath = path === undefined ? undefined : onNode(path);
    return nodePath === undefined ? undefined : files.get(nodePath)?.text;
  };
  const encryption = textOf("encryption-provider-config");
  const entries = encryption === undefined ? [] : readEncryptionConfig(encryption, "");
  return {
    allowsAnonymous: flags.get("anonymous-auth") !== "false",
    authorizationModes: listOf(flags, "authorization-mode"),
    enabledPlugins: listOf(flags, "enable-admission-plugins"),
    disabledPlugins: listOf(flags, "disable-admission-plugins"),
    audit: auditOf(flags, textOf("audit-policy-file"), onNode),
    // A configuration with errors has ended the program.
    encryption: typeof entries === "string" ? [] : entries,
  };
}

function auditOf(
  flags: Flags,
  text: string | undefined,
  onNode: (path: string) => string | undefined,
): ServerSettings["audit"] {
  const log = flags.get("audit-log-path");
  const path = log === undefined ? undefined : onNode(log);
  const policy = text === undefined ? undefined : readAuditPolicy(text, "");
  return policy === undefined || typeof policy === "string" || path === undefined ? undefined : { policy, path };
}

function listOf(flags: Flags, name: string): readonly string[] {
  return (flags.get(name) ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
