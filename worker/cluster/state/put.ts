// A cluster's storage is set to a state: a file in place of all that it had, in one transaction. Whoever has the old one open must not
// use it any more.
import { networkProblem } from "../../../shared/k8s/settings/cluster-network.ts";
import type { Images } from "../../../shared/contract/sandbox.ts";
import { sandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import { limits } from "../../../shared/base/limits.ts";
import { limitsWith } from "../../../shared/contract/sandbox-limits.ts";
import type { Secret } from "../../../shared/k8s/api/core-v1.ts";
import { limitExceeded } from "../../../shared/k8s/bounds/limit-exceeded.ts";
import {
  damaged,
  type StateCertificates,
  type StateHeader,
  type StateMeta,
  type StateRequest,
} from "../../../shared/state/format.ts";
import { checkedLayout, readIndex, readMeta as readStateMeta } from "../../../shared/state/read-state.ts";
import { signedAnew, type TokenOptions } from "../../controllers/service-account/tokens.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { WorkQueue } from "../../runtime/queue.ts";
import { cursorKey } from "../../runtime/checkpoint.ts";
import { causeText } from "../../store/cause.ts";
import { writeFile } from "../../store/file-rows.ts";
import type { Sql } from "../../store/sql.ts";
import { Store } from "../../store/store.ts";
import { deleteMeta, deleteMetaRows, deleteObjects, writeMeta } from "../../store/tables.ts";
import { keepBase, keptBase } from "../base/kept-base.ts";
import { markRenewal } from "../time/faults/fault-record.ts";
import { writeClock } from "../time/clock/cluster-clock.ts";
import { replaceEditRows } from "../kept-edits.ts";
import { readSettings, writeSettings, writeVersion } from "../settings/settings.ts";

export interface PutOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly file: Uint8Array;
  /** The cluster's own, and who signs tokens in it. */
  readonly certificates: StateCertificates;
  readonly sign: TokenOptions["sign"];
  /** The newest revision that it has; absent where it is new. Its revisions go on rising. */
  readonly revision?: number;
}

/** Rows about what was under way with objects that may not be there any more. */
const passing = ["intent:", "set-aside:", "watch:"];

/**
 * Its settings, keys, tokens and audit events stay, but the ranges of addresses and the images that it defines: they come with the objects
 * that have them. Throws `StateFileError`, and `ApiError` (429) where the sandbox may not hold so much.
 */
export function putState(options: PutOptions): void {
  const { sql, clock, file, certificates, revision } = options;
  const layout = checkedLayout(file);
  const read = (from: number, to: number) => file.subarray(from, to);
  readIndex(layout, read);
  const meta = readStateMeta(layout, read);
  requireQuota(sql, layout.header);
  // Nobody has seen the revision with which the log begins anew.
  const began = revision === undefined ? layout.header.revision : Math.max(layout.header.revision, revision) + 1;
  sql.transaction(() => {
    deleteObjects(sql);
    deleteMeta(sql, cursorKey);
    for (const prefix of passing) deleteMetaRows(sql, prefix);
    writeFile(sql, file);
    takeRanges(sql, meta.settings);
    takeImages(sql, meta.settings);
    takeVersion(sql, meta.settings);
    keepBase(sql, { file: layout, revision: Math.max(1, began), certificates });
    replaceEditRows(sql, meta.rows);
    // A clock that was set goes on at the moment of the state; any other is the machine's.
    writeClock(sql, meta.clock && { ...meta.clock, realMs: clock.nowMs() });
    markRenewal(sql);
    if (meta.queue) writeQueue(sql, meta.queue);
    // A cursor before the beginning: controllers look at everything.
    else writeMeta(sql, cursorKey, "0");
    if (meta.certificates.clientCA !== certificates.clientCA) signAnew(options);
  });
}

/** As the state's cluster had them; an absent one is the default, whatever the sandbox had. */
function takeRanges(sql: Sql, settings: StateMeta["settings"]): void {
  const read = sandboxSettings.pick({ serviceCidr: true, podCidr: true }).safeParse(settings);
  if (!read.success || networkProblem(read.data, 0)) throw damaged("its ranges of addresses");
  const ownSettings = readSettings(sql);
  const { serviceCidr, podCidr } = read.data;
  if (ownSettings.serviceCidr === serviceCidr && ownSettings.podCidr === podCidr) return;
  writeSettings(sql, { ...ownSettings, serviceCidr, podCidr });
}

/** The version of the state's cluster, whose API server wrote the objects. */
function takeVersion(sql: Sql, settings: StateMeta["settings"]): void {
  const read = sandboxSettings.pick({ version: true }).safeParse(settings);
  if (!read.success) throw damaged("its version");
  writeVersion(sql, read.data.version);
}

/** As the state's cluster had them, if one of the two defines images; a sandbox that defines none keeps its choice of others' images. */
function takeImages(sql: Sql, settings: StateMeta["settings"]): void {
  const read = sandboxSettings.pick({ images: true }).safeParse(settings);
  if (!read.success) throw damaged("its images");
  const ownSettings = readSettings(sql);
  const { images } = read.data;
  if (definesImages(images) || definesImages(ownSettings.images)) writeSettings(sql, { ...ownSettings, images });
}

function definesImages(images: Images): boolean {
  return typeof images === "object" && images.some((image) => typeof image === "object");
}

function writeQueue(sql: Sql, requests: readonly StateRequest[]): void {
  const queue = new WorkQueue(sql);
  for (const request of requests) queue.again(request);
  queue.save();
}

/** Throws if the state exceeds the limits. Cleaning up can exceed them, so the state may have done so already. */
function requireQuota(sql: Sql, { objects, bytes }: StateHeader): void {
  const most = limitsWith(readSettings(sql).limits ?? {});
  const required = { objects, bytes };
  for (const what of ["objects", "bytes"] as const) {
    if (required[what] > Math.floor(most[what] * (1 + limits.reserve))) {
      throw limitExceeded(what, { requested: required[what], used: 0, limited: most[what] });
    }
  }
}

/** Tokens in secrets are of the cluster that the state is of, and known there alone. */
function signAnew({ sql, clock, certificates, sign }: PutOptions): void {
  const unbounded = { objects: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
  const store = new Store(sql, clock, unbounded, keptBase(sql));
  for (const object of store.list({ resource: secrets.resource })) {
    // Of that resource.
    const secret = object as Secret;
    const data = signedAnew(secret, { sign, bundle: () => certificates.rootCA });
    if (data === undefined) continue;
    const { namespace = "", name = "", ownerReferences = [] } = secret.metadata;
    const next: Secret = structuredClone({ ...secret, data });
    store.commit({
      key: { resource: secrets.resource, namespace, name },
      next,
      index: { owners: ownerReferences.map(({ uid, controller }) => (controller ? `!${uid}` : uid)), indexValue: "" },
      cause: causeText({ user: "system:apiserver", origin: "fork" }),
    });
  }
}
