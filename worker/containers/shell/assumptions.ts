// Software that a container's image may have and the simulator lacks. The author of a manifest knows the image, so software that the pod's
// specification names is assumed to exist and to succeed.
import { isSystemImage } from "../../machine/machine.ts";
import type { Assumptions } from "./assumption.ts";
import { mountOf, type Process } from "./process.ts";

/** The number of assumptions that a run records. */
const maxRecorded = 40;
const maxCharacters = 200;

/** Records that something is assumed to exist. Returns false if the policy is to let it fail. */
export function assume({ assumptions: { policy, list }, clockMs, self }: Process, subject: string): boolean {
  // The cluster itself does the work of these programs.
  if (isSystemImage(self.image)) return true;
  if (policy === "fail") return false;
  const what = subject.slice(0, maxCharacters);
  if (list.length < maxRecorded && list.every((assumption) => assumption.what !== what))
    list.push({ atMs: clockMs, what });
  return true;
}

/** Folders whose files come from the kernel, the kubelet or the container itself, whatever the image. */
const nobodysFolders = /^\/(proc|sys|dev|tmp|run|var\/run|var\/tmp)(\/|$)/;

/** Assumes that a missing file exists in the image. Volumes, and folders that are empty in every image, are excepted. */
export function assumeFile(process: Process, path: string): boolean {
  const { knowsFiles, programs, assumptions } = process;
  if (knowsFiles || programs !== undefined || assumptions.policy !== "succeed" || nobodysFolders.test(path))
    return false;
  const mount = mountOf(process, path);
  return (mount === undefined || mount.path === "") && assume(process, path);
}

/** Reports whether a run depends on an assumption, so that its failure says nothing about the image. */
export function isExcused({ policy, list }: Assumptions): boolean {
  return policy === "succeed" && list.length > 0;
}
