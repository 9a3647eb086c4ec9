// The clusters of a run: a sandbox each, made and deleted together. A lesson has one, an exam may have several.
import { limits } from "../../../../shared/base/limits.ts";
import { createSandbox, newSandbox, type SandboxWithToken } from "../../../../shared/contract/sandbox.ts";
import { must } from "../../../../shared/base/assert.ts";
import {
  clusterIndexOf,
  clustersOf,
  type Lesson,
  type LessonCluster,
  type Step,
} from "../../../../shared/lesson/lesson.ts";
import type { LessonRunRow, StoredCluster } from "../../db/lesson-tables.ts";
import { ControlError } from "../control-error.ts";
import { resetSandbox } from "../reset.ts";
import { deleteSandbox, makeSandbox, type NamedOptions } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { refusalError } from "../states.ts";
import { makeSandboxOfTemplate } from "../templates/templates.ts";

type RowClusters = Pick<LessonRunRow, "clusters" | "sandboxId" | "stepRevision">;

/** Returns the clusters of a run. That of a lesson has no name. */
export function clustersOfRun({ clusters, sandboxId, stepRevision }: RowClusters): readonly StoredCluster[] {
  return clusters.length > 0 ? clusters : [{ name: "", sandboxId, revision: stepRevision }];
}

/** Returns the cluster of a task. */
export function clusterOfStep(row: RowClusters, lesson: Pick<Lesson, "clusters">, step: Step): StoredCluster {
  return must(clustersOfRun(row)[clusterIndexOf(lesson, step)], "the cluster of a task");
}

export type MadeCluster = Pick<StoredCluster, "name"> & { readonly sandbox: SandboxWithToken };

interface SandboxOrigin {
  readonly ttlSeconds: number;
  readonly source?: NamedOptions["source"];
}

/** Creates a sandbox for each cluster of a lesson. If one is refused, none remains. */
export async function makeClusters(
  controlApi: ControlApiServer,
  tenantId: string,
  lesson: Lesson,
  origin: SandboxOrigin,
): Promise<readonly [MadeCluster, ...MadeCluster[]]> {
  const all = clustersOf(lesson);
  const outcomes = await Promise.allSettled(
    all.map(async (cluster) => ({
      name: cluster.name,
      sandbox: await makeOne(controlApi, tenantId, lesson, { ...origin, cluster }),
    })),
  );
  const createdClusters = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const refused = outcomes.find((outcome) => outcome.status === "rejected");
  const [first, ...further] = createdClusters;
  if (first && !refused) return [first, ...further];
  await removeSandboxes(
    controlApi,
    tenantId,
    createdClusters.map(({ sandbox }) => sandbox.id),
  );
  throw all.length > 1 ? ofSeveral(refused?.reason, all.length) : refused?.reason;
}

/** Says in a refusal how many sandboxes the exam needs. */
function ofSeveral(error: unknown, count: number): unknown {
  if (!(error instanceof ControlError)) return error;
  const { status, code, message, field, more } = error;
  return new ControlError(status, code, `the exam needs ${count} sandboxes: ${message}`, field, more);
}

async function makeOne(
  controlApi: ControlApiServer,
  tenantId: string,
  { name, images }: Lesson,
  { ttlSeconds, source, cluster }: SandboxOrigin & { readonly cluster: LessonCluster },
): Promise<SandboxWithToken> {
  const { template, nodes = limits.sandboxNodesDefault, version, manifests } = cluster;
  const labels = { lesson: name, ...(cluster.name === "" ? {} : { cluster: cluster.name }) };
  const options = newSandbox.parse({ ttlSeconds, labels });
  const from = source ? { source } : {};
  const { sandbox } =
    template === undefined
      ? await makeSandbox(
          controlApi,
          tenantId,
          createSandbox.parse({ ...options, nodes, version, manifests, images }),
          from,
        )
      : await makeSandboxOfTemplate(controlApi, tenantId, { ...options, ...from }, template);
  return sandbox;
}

/** Deletes sandboxes that nobody knows. One whose deletion fails expires. */
export async function removeSandboxes(controlApi: ControlApiServer, tenantId: string, ids: readonly string[]) {
  await Promise.all(
    ids.map((id) =>
      deleteSandbox(controlApi, tenantId, id).catch((error: unknown) => controlApi.report(error, "a run's sandbox")),
    ),
  );
}

/** Deletes the sandboxes of a run. Those that a concurrent request deleted are skipped. */
export async function deleteClusters(controlApi: ControlApiServer, row: LessonRunRow): Promise<void> {
  for (const { sandboxId } of clustersOfRun(row)) {
    await deleteSandbox(controlApi, row.tenantId, sandboxId).catch((error: unknown) => {
      if (!(error instanceof ControlError) || error.status !== 404) throw error;
    });
  }
}

/** Applies the manifests to sandboxes of templates, and prepares each cluster. Returns the new revisions. */
export async function prepareClusters(
  controlApi: ControlApiServer,
  sandboxIds: readonly string[],
  lesson: Lesson,
): Promise<readonly number[]> {
  const all = clustersOf(lesson);
  return Promise.all(sandboxIds.map((id, at) => prepareOne(controlApi, id, must(all[at], "the cluster of a sandbox"))));
}

async function prepareOne(
  controlApi: ControlApiServer,
  sandboxId: string,
  { template, manifests, prepare }: LessonCluster,
): Promise<number> {
  const applied = template === undefined || manifests.trim() === "" ? [] : [{ apply: manifests }];
  const done = await controlApi.cluster(sandboxId).perform([...applied, ...prepare]);
  if (done.ok) return done.revision;
  if (done.code === "solution_refused")
    throw refusalError({ ...done, code: "invalid_manifests", message: `the lesson's manifests: ${done.message}` });
  throw refusalError(done);
}

/** Resets the clusters and prepares them again. Returns the changes of the run. */
export async function resetClusters(
  controlApi: ControlApiServer,
  row: LessonRunRow,
  lesson: Lesson,
): Promise<Pick<LessonRunRow, "clusters" | "stepRevision">> {
  const clusters = clustersOfRun(row);
  for (const { sandboxId } of clusters) await resetSandbox(controlApi, row.tenantId, sandboxId);
  const ids = clusters.map(({ sandboxId }) => sandboxId);
  return withRevisions(row.clusters, await prepareClusters(controlApi, ids, lesson));
}

/** Returns the columns of clusters at new revisions. */
export function withRevisions(clusters: readonly StoredCluster[], revisions: readonly number[]) {
  const [stepRevision = 0] = revisions;
  return { stepRevision, clusters: clusters.map((cluster, at) => ({ ...cluster, revision: revisions[at] ?? 0 })) };
}
