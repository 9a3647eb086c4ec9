// Whether what a step is graded by came to be by itself: statuses of the cluster's own kinds are written by its controllers, not by requests.
import { limits } from "../../../shared/base/limits.ts";
import type { Registry } from "../../registry/registry.ts";
import type { PastWrite } from "../../store/past.ts";
import { whatChangesStatuses } from "./changed-statuses.ts";

const writesAtOnce = 1000;

/**
 * A portion of the changes after `since` at each step, so that others have their turn. Returns why nothing can be graded; "" where it can.
 * Custom resources have their statuses from whoever plays their controller.
 */
export function* tampering(registry: Registry, since: number): Generator<void, string, void> {
  const { store, catalogue } = registry;
  if (since < store.forgotten)
    return "the history does not go back to the beginning of this step: start the step again";
  const changing = whatChangesStatuses(registry, since);
  if (changing !== "")
    return `${changing} may change statuses, so that they say nothing any more: start the step again`;
  const builtInResources = new Set(catalogue.kinds.filter(({ custom }) => !custom).map(({ resource }) => resource));
  let read = 0;
  for (let after = since; ; ) {
    const portion = store.past.after(after, writesAtOnce);
    const statusWrite = portion.find((write) => isStatusByRequest(write) && builtInResources.has(write.resource));
    if (statusWrite) {
      const { resource, namespace, name } = statusWrite;
      const what = `${resource} ${namespace === "" ? "" : `${namespace}/`}${name}`;
      return `the status of ${what} was written by a request, so that it says nothing any more: start the step again`;
    }
    read += portion.length;
    const last = portion.at(-1);
    if (!last) return "";
    if (read > limits.gradedChanges) {
      return `there are more than ${limits.gradedChanges} changes since the step began: start the step again`;
    }
    after = last.revision;
    yield;
  }
}

function isStatusByRequest({ cause }: PastWrite): boolean {
  return cause.auditId !== undefined && cause.subresource === "status";
}
