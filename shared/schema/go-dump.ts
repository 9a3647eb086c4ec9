// Dumps a pod template like upstream's `dump.ForHash` dumps its Go struct: every field in order, set or not, with the names of types.
import { parseQuantity, quantityUnit } from "../k8s/quantity.ts";
import layouts from "./facts/pod-template-layout.json" with { type: "json" };

type Writer = (value: unknown) => string;

/** Dumps a template that is decoded and defaulted: empty fields are absent, and nil in Go. */
export function dumpOfPodTemplate(template: object): string {
  return `(v1.PodTemplateSpec)${untyped("v1.PodTemplateSpec")(template)}`;
}

const layoutOf: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(Object.entries(layouts));
const writers = new Map<string, Writer>();

function untyped(type: string): Writer {
  const cached = writers.get(type);
  if (cached) return cached;
  const writer = writerOf(type);
  writers.set(type, writer);
  return writer;
}

function writerOf(type: string): Writer {
  const scalar = special[type];
  if (scalar) return scalar;
  if (type.startsWith("*")) return (value) => (value === undefined ? "<nil>" : untyped(type.slice(1))(value));
  if (type.startsWith("[]")) return listWriter(type.slice("[]".length));
  if (type.startsWith("map[")) return mapWriter(type.slice(type.indexOf("]") + 1));
  const layout = layoutOf.get(type);
  return layout ? structWriter(layout) : (value) => (isScalar(value) ? String(value) : zeroOf(type));
}

function listWriter(item: string): Writer {
  return (value) => (Array.isArray(value) ? `[${value.map(untyped(item)).join(" ")}]` : "<nil>");
}

function mapWriter(member: string): Writer {
  return (value) => {
    if (typeof value !== "object" || value === null) return "<nil>";
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.length === 0
      ? "<nil>"
      : `map[${entries.map(([key, entry]) => `${key}:${untyped(member)(entry)}`).join(" ")}]`;
  };
}

function structWriter(layout: readonly (readonly string[])[]): Writer {
  return (value) => {
    const members = new Map(Object.entries(value ?? {}));
    const fields = layout.map(([name = "", json = "", type = ""]) => {
      return `${name}:(${type})${untyped(type)(json === "" ? value : members.get(json))}`;
    });
    return `{${fields.join(" ")}}`;
  };
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function zeroOf(type: string): string {
  if (type === "bool") return "false";
  return /^int\d*$/.test(type) ? "0" : "";
}

/** Types whose Go form differs from their JSON. */
const special: Readonly<Record<string, Writer>> = {
  "v1.Time": () => "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}",
  "intstr.IntOrString": (value) => {
    const [type, number, text] = typeof value === "string" ? [1, 0, value] : [0, Number(value ?? 0), ""];
    return `{Type:(intstr.Type)${type} IntVal:(int32)${number} StrVal:(string)${text}}`;
  },
  "v1.ResourceList": mapWriter("resource.Quantity"),
  "resource.Quantity": (value) => quantityDump(value),
};

/**
 * Dumps a quantity: as a number and a power of ten if it fits, otherwise as a decimal of nine places whose magnitude is in 64-bit words.
 */
function quantityDump(value: unknown): string {
  const text = typeof value === "string" ? value : "0";
  const parsed = parseQuantity(text);
  const dumped = (amount: number | bigint, scale: number, decimal: string) =>
    `{i:(resource.int64Amount){value:(int64)${amount} scale:(resource.Scale)${scale}} d:(resource.infDecAmount){Dec:(*inf.Dec)${decimal}} ` +
    `s:(string)${parsed?.text ?? (text === "0" ? text : "")} Format:(resource.Format)${parsed?.format ?? ""}}`;
  if (!parsed || parsed.nanos === 0n) return dumped(0, 0, "<nil>");
  const { number = "", suffix = "" } = /^-?(?<number>\d+)(?<suffix>(?:\D.*)?)$/.exec(text)?.groups ?? {};
  const { exponent = 0, format } = quantityUnit(suffix) ?? {};
  if (format !== "BinarySI" && number.length <= 18) {
    return dumped(parsed.nanos < 0n ? -BigInt(number) : BigInt(number), exponent, "<nil>");
  }
  if (format === "BinarySI" && 15 - number.length - Math.trunc((exponent * 3) / 10) - 1 >= 0) {
    return dumped(parsed.nanos / 1_000_000_000n, 0, "<nil>");
  }
  const words: bigint[] = [];
  for (let rest = parsed.nanos < 0n ? -parsed.nanos : parsed.nanos; rest > 0n; rest >>= 64n)
    words.push(BigInt.asUintN(64, rest));
  const unscaled = `(big.Int){neg:(bool)${parsed.nanos < 0n} abs:(big.nat)[${words.join(" ")}]}`;
  return dumped(0, 0, `{unscaled:${unscaled} scale:(inf.Scale)9}`);
}
