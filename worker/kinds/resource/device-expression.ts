// The CEL environment of device selectors (upstream: `dynamic-resource-allocation/cel`).
import { quantityType } from "../../../shared/cel/functions.ts";
import { type Environment, type Program, compile } from "../../../shared/cel/program.ts";
import { type CelType, anyType, boolType, mapType, stringType, structType } from "../../../shared/cel/types.ts";

const fields: ReadonlyMap<string, CelType> = new Map([
  ["driver", stringType],
  ["allowMultipleAllocations", boolType],
  ["attributes", mapType(stringType, mapType(stringType, anyType))],
  ["capacity", mapType(stringType, mapType(stringType, quantityType))],
]);
export const deviceType = structType("kubernetes.DRADevice", (name) => fields.get(name));
const environment: Environment = { variables: new Map([["device", deviceType]]) };

export type DeviceExpression = { readonly program: Program } | { readonly error: string };

export function compileDeviceExpression(expression: string): DeviceExpression {
  const compiled = compile(expression, environment);
  if ("problems" in compiled) return { error: `compilation failed: ${compiled.problems}` };
  if ("planProblem" in compiled) return { error: `program instantiation failed: ${compiled.planProblem}` };
  const { kind } = compiled.program.result;
  if (kind === "bool" || kind === "any" || kind === "dyn") return compiled;
  return { error: `must evaluate to bool or the unknown type, not ${kind}` };
}
