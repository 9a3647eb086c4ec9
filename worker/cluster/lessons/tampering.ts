// Finds out whether the learner wrote a status that a step is graded by. Only controllers write the statuses of built-in kinds.
import { limits } from "../../../shared/base/limits.ts";
import type { Registry } from "../../registry/registry.ts";
import type { PastWrite } from "../../store/past.ts";
import { whatChangesStatuses } from "./changed-statuses.ts";

const writesAtOnce = 1000;

/**
 * Examines the changes after the revision `since` in steps, so that other work has turns between them. Returns why the step cannot be graded;
 * "" if it can. Custom resources are left out, because the learner may play their controller.
 */
export function* tamperingSteps(registry: Registry, since: number): Generator<void, string, void> {
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
