// Constraints over the devices of a claim: all share an attribute, or all differ in it.
import type { Device, DeviceAttribute, DeviceConstraint } from "../../../../shared/k8s/api/resource-v1.ts";
import { type AskedDevices, resultName } from "./requests.ts";

/** What has been taken for a claim so far. */
export interface Taken {
  readonly request: AskedDevices;
  readonly driver: string;
  readonly device: Device;
}

/** Whether one more device keeps to the constraint. */
export function keepsTo(constraint: DeviceConstraint, taken: readonly Taken[], next: Taken): boolean {
  if (!concerns(constraint, next.request)) return true;
  const { matchAttribute, distinctAttribute } = constraint;
  const name = matchAttribute ?? distinctAttribute ?? "";
  const value = valueOf(next, name);
  if (value === undefined) return false;
  const others = taken.filter(({ request }) => concerns(constraint, request)).map((one) => valueOf(one, name));
  return matchAttribute === undefined ? !others.includes(value) : others.every((one) => one === value);
}

function concerns({ requests = [] }: DeviceConstraint, request: AskedDevices): boolean {
  if (requests.length === 0) return true;
  return requests.includes(request.parent ?? request.name) || requests.includes(resultName(request));
}

/** The attribute as text with its type; a name without a domain is the driver's own. */
function valueOf({ driver, device }: Taken, name: string): string | undefined {
  const own = name.startsWith(`${driver}/`) ? device.attributes?.[name.slice(driver.length + 1)] : undefined;
  const attribute = device.attributes?.[name] ?? own;
  return attribute && textOf(attribute);
}

function textOf({ string, int, bool, version }: DeviceAttribute): string | undefined {
  if (string !== undefined) return `string ${string}`;
  if (int !== undefined) return `int ${int}`;
  if (bool !== undefined) return `bool ${bool}`;
  return version === undefined ? undefined : `version ${version}`;
}
