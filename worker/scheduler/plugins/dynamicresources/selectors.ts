// Evaluates device selectors: CEL expressions over a device (upstream: `dynamic-resource-allocation/cel`).
import { BoundedCache } from "../../../../shared/base/bounded-cache.ts";
import { evaluate } from "../../../../shared/cel/program.ts";
import { quantities } from "../../../../shared/cel/libraries/quantities.ts";
import { semvers } from "../../../../shared/cel/libraries/semvers.ts";
import { type MapShape, type StructValue, type Value, fail } from "../../../../shared/cel/values.ts";
import type { WorkMeter } from "../../../../shared/k8s/bounds/work.ts";
import type { DeviceAttribute } from "../../../../shared/k8s/api/resource-v1.ts";
import {
  type DeviceExpression,
  compileDeviceExpression,
  deviceType,
} from "../../../kinds/resource/device-expression.ts";
import type { PooledDevice } from "./pools.ts";

/** The limit `CELSelectorExpressionMaxCost`. */
const costLimit = 1_000_000;
/** The maximum number of cached programs. */
const maxCachedPrograms = 100;

export type Match = boolean | { readonly error: string };

export function selects(expression: string, device: PooledDevice, meter: WorkMeter): Match {
  const compiled = programOf(expression);
  if ("error" in compiled) return { error: `CEL compile error: ${compiled.error}` };
  const outcome = evaluate(compiled.program, () => valueOf(device), meter, costLimit);
  if ("error" in outcome) return { error: `CEL runtime error: ${outcome.error}` };
  if (typeof outcome.value === "boolean") return outcome.value;
  return { error: "CEL runtime error: CEL result could not be converted to bool" };
}

const programs = new BoundedCache<string, DeviceExpression>(maxCachedPrograms);

function programOf(expression: string): DeviceExpression {
  const program = programs.get(expression) ?? compileDeviceExpression(expression);
  programs.set(expression, program);
  return program;
}

function valueOf({ driver, device }: PooledDevice): StructValue {
  const attributes = byDomain(device.attributes ?? {}, driver, attributeValue);
  const capacity = byDomain(device.capacity ?? {}, driver, ({ value }) =>
    callLibrary(quantities, "quantity(string) Quantity", value),
  );
  return {
    kind: "struct",
    type: deviceType,
    fields: new Map<string, Value>([
      ["driver", driver],
      ["allowMultipleAllocations", device.allowMultipleAllocations === true],
      ["attributes", attributes],
      ["capacity", capacity],
    ]),
  };
}

function attributeValue({ int, bool, string, version }: DeviceAttribute): Value {
  if (int !== undefined) return BigInt(int);
  if (version !== undefined) return callLibrary(semvers, "semver(string) Semver", version);
  return bool ?? string ?? fail("unsupported attribute value");
}

/** Creates a value with a function of a CEL library. */
function callLibrary(library: Readonly<Record<string, unknown>>, signature: string, text: string): Value {
  const convert = library[signature] as (text: string) => Value;
  return convert(text);
}

/** Groups attributes by domain. A name without a domain belongs to the driver. A missing domain is an empty map, not an error. */
function byDomain<T>(attributes: Readonly<Record<string, T>>, driver: string, toValue: (attribute: T) => Value): Value {
  const domains = new Map<string, Map<string, Value>>();
  for (const [name, attribute] of Object.entries(attributes)) {
    const slash = name.indexOf("/");
    const domain = slash < 0 ? driver : name.slice(0, slash);
    const attributesOfDomain = domains.get(domain) ?? new Map<string, Value>();
    domains.set(domain, attributesOfDomain.set(name.slice(slash + 1), toValue(attribute)));
  }
  const values = [...domains].map(([domain, inner]): [string, Value] => [domain, mapOf(inner, attributesShape)]);
  return mapOf(new Map(values), domainsShape);
}

function mapOf(raw: ReadonlyMap<string, Value>, shape: MapShape): Value {
  return { kind: "map", raw, shape };
}

/** Only `mapOf` creates maps of these shapes. */
function rawOf(raw: unknown): ReadonlyMap<string, Value> {
  return raw as ReadonlyMap<string, Value>;
}

const attributesShape: MapShape = {
  find: (raw, key) => (typeof key === "string" ? rawOf(raw).get(key) : undefined),
  keys: (raw) => [...rawOf(raw).keys()],
  size: (raw) => rawOf(raw).size,
};

const domainsShape: MapShape = {
  ...attributesShape,
  find: (raw, key) =>
    typeof key === "string" ? (rawOf(raw).get(key) ?? mapOf(new Map(), attributesShape)) : undefined,
};
