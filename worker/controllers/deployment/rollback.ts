// Rolls back for the first API versions, whose `spec.rollbackTo` is an annotation now. `kubectl rollout undo` patches the template instead
// and does not use this.
import type { Deployment, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import { annotations, inheritedAnnotations, integer, lastRevision, ownAnnotations, revisionOf } from "./annotations.ts";
import { type Rollout, allSets, save } from "./rollout.ts";
import { equalIgnoreHash, withoutHash } from "./replica-sets.ts";

/** Returns the requested revision, 0 for the last one; undefined if no rollback is requested. */
export function rollbackRevision({ metadata }: Deployment): bigint | undefined {
  return integer(metadata.annotations?.[annotations.rollbackTo] ?? "");
}

/** Restores the template of a revision, or records why it cannot. Removes the annotation in both cases. */
export function rollBack(rollout: Rollout, requestedRevision: bigint): void {
  save(rollout);
  const { deployment, context } = rollout;
  const warn = (reason: string, message: string) => context.event(deployment, "Warning", reason, message);
  const sets = allSets(rollout);
  const revision = requestedRevision || lastRevision(sets);
  const target = sets.find((set) => revision !== 0n && revisionOf(set) === revision);
  const name = JSON.stringify(deployment.metadata.name);
  if (!target) {
    const what = revision === 0n ? "Unable to find last revision." : "Unable to find the revision to rollback to.";
    warn("DeploymentRollbackRevisionNotFound", what);
    return write(rollout, deployment);
  }
  if (equalIgnoreHash(deployment.spec.template, target.spec.template)) {
    const what = `The rollback revision contains the same template as current deployment ${name}`;
    warn("DeploymentRollbackTemplateUnchanged", what);
    return write(rollout, deployment);
  }
  write(rollout, withTemplateOf(deployment, target));
  context.event(deployment, "Normal", "DeploymentRollback", `Rolled back deployment ${name} to revision ${revision}`);
}

function withTemplateOf(deployment: Deployment, target: ReplicaSet): Deployment {
  const { metadata, spec } = deployment;
  const nextAnnotations = {
    ...ownAnnotations(metadata.annotations),
    ...inheritedAnnotations(target.metadata.annotations),
  };
  const template = withoutHash(target.spec.template);
  return { ...deployment, metadata: { ...metadata, annotations: nextAnnotations }, spec: { ...spec, template } };
}

function write({ context }: Rollout, deployment: Deployment): void {
  const { metadata } = deployment;
  const { [annotations.rollbackTo]: _done, ...rest } = metadata.annotations ?? {};
  context.client.update(deployments, { ...deployment, metadata: { ...metadata, annotations: rest } });
}
