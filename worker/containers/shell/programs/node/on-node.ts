// The surroundings of a node's tools: whether they run on one, and the state of its services in its files.
import { edit, type Process } from "../../process.ts";
import { statePath, type UnitName, type UnitState } from "../../../node/units.ts";

/** Reports whether the root folder of a process is that of its node. */
export function isOnNode({ world, mounts }: Process): boolean {
  return world.node !== undefined && mounts.some(({ path, hostPath }) => path === "" && hostPath === "");
}

export function nodeName({ world, host }: Process): string {
  return world.node?.name ?? host;
}

export function writeUnit(process: Process, unit: UnitName, state: UnitState): void {
  edit(process, { path: statePath(unit), text: `${JSON.stringify(state)}\n` });
}
