// Reads the facts of API types from Go sources, in the form of shared/schema/type-facts.ts. The sources are formatted by gofmt, so a line
// is a field, a comment, or the beginning or end of a declaration.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FieldFacts } from "../../shared/schema/type-facts.ts";

export interface TypeTable {
  readonly types: Record<string, { readonly fields: readonly GoField[] }>;
  readonly enums: Record<string, readonly string[]>;
}

/** Markers that name another gate than the one by which upstream's strategies drop the field. */
const corrections: Readonly<Record<string, string>> = {
  InPlacePodVerticalScalingAllocatedStatus: "InPlacePodVerticalScaling",
};

function gateOf(marker: string | undefined): string | undefined {
  const gate = marker?.split(",")[0];
  return gate === undefined ? undefined : (corrections[gate] ?? gate);
}

/** `gate`: the feature gate without which the field is dropped. */
export type GoField = FieldFacts & { readonly gate?: string };

interface Declaration {
  readonly file: GoFile;
  readonly name: string;
  /** The type after the name: `struct {`, `string`, `map[ResourceName]resource.Quantity`. */
  readonly text: string;
  readonly comment: readonly string[];
  readonly lines: readonly string[];
}

interface GoFile {
  readonly package: string;
  /** The packages by the name under which the file imports them. */
  readonly imports: ReadonlyMap<string, string>;
}

/** Types with an encoding of their own. */
const forms: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "time",
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "microtime",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Duration": "duration",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "fieldsV1",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "intOrString",
  "io.k8s.apimachinery.pkg.runtime.RawExtension": "raw",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": "json",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray": "schemaOrArray",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool": "schemaOrBool",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": "schemaOrStringArray",
};
/** Named scalars of packages that are not read. */
const scalars: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.types.UID": "string",
  "io.k8s.apimachinery.pkg.types.NodeName": "string",
};
const builtIn = new Set(["string", "bool", "int32", "int64", "uint8", "uint32", "uint64", "float32", "float64"]);

/** Reads the packages below module folders: `{ "k8s.io/api": folder }`. */
export function readGoTypes(modules: Readonly<Record<string, string>>): TypeTable {
  const declarations = new Map<string, Declaration>();
  const constants = new Map<string, Set<string>>();
  for (const [module, folder] of Object.entries(modules)) {
    for (const path of globSync("**/*.go", {
      cwd: folder,
      exclude: ["**/*_test.go", "**/zz_generated*", "**/generated*"],
    })) {
      const packagePath = `${module}/${path.slice(0, path.lastIndexOf("/"))}`;
      readFile(nameOfPackage(packagePath), readFileSync(join(folder, path), "utf8"), declarations, constants);
    }
  }
  return new Reader(declarations, constants).table();
}

function nameOfPackage(path: string): string {
  return path.replace(/^k8s\.io\//, "io.k8s.").replaceAll("/", ".");
}

function readFile(
  packageName: string,
  text: string,
  declarations: Map<string, Declaration>,
  constants: Map<string, Set<string>>,
): void {
  const lines = text.split("\n");
  const imports = new Map<string, string>();
  for (const [, alias, path = ""] of text.matchAll(/^(?:import |\t)(?:(\w+) )?"(k8s\.io\/[^"]+)"$/gm)) {
    imports.set(alias ?? path.slice(path.lastIndexOf("/") + 1), nameOfPackage(path));
  }
  const file = { package: packageName, imports };
  let comment: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const declared = /^type (\w+) (?:= )?(\S.*)$/.exec(line);
    const constant = /^\s*(?:const )?\w+ +(\w+) += "([^"]*)"/.exec(line);
    if (line.trim().startsWith("//")) comment.push(line.trim().slice(2).trim());
    else if (declared) {
      const [, name = "", type = ""] = declared;
      const end = type === "struct {" ? lines.indexOf("}", at) : at;
      declarations.set(`${packageName}.${name}`, { file, name, text: type, comment, lines: lines.slice(at + 1, end) });
      comment = [];
      at = end;
    } else if (constant) {
      const [, type = "", value = ""] = constant;
      const key = `${packageName}.${type}`;
      constants.set(key, (constants.get(key) ?? new Set()).add(value));
      comment = [];
    } else if (line.trim() !== "") comment = [];
  }
}

class Reader {
  readonly #declarations: ReadonlyMap<string, Declaration>;
  readonly #constants: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #enums: Record<string, readonly string[]> = {};

  constructor(declarations: ReadonlyMap<string, Declaration>, constants: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#declarations = declarations;
    this.#constants = constants;
  }

  table(): TypeTable {
    const types: Record<string, { fields: GoField[] }> = {};
    for (const [name, declaration] of this.#declarations) {
      if (declaration.text === "struct {" && !forms[name]) types[name] = { fields: this.#fields(declaration) };
    }
    return { types, enums: this.#enums };
  }

  #fields({ file, lines }: Declaration): GoField[] {
    const fields: GoField[] = [];
    let comment: string[] = [];
    for (const line of lines) {
      const match = /^\t(?:(\w+(?:, *\w+)*) +)?(\S+) +`(.*)`/.exec(line);
      if (line.trim().startsWith("//")) comment.push(line.trim().slice(2).trim());
      else if (match) {
        const [, , type = "", tags = ""] = match;
        const field = this.#field(file, type, tags, comment);
        if (field) fields.push(field);
        comment = [];
      } else if (line.trim() !== "") comment = [];
    }
    return fields;
  }

  #field(file: GoFile, goType: string, tags: string, comment: readonly string[]): GoField | undefined {
    const tag = (name: string) => new RegExp(`(?:^| )${name}:"([^"]*)"`).exec(tags)?.[1];
    const [json = "", ...options] = (tag("json") ?? "-").split(",");
    if (json === "-") return undefined;
    const number = /^[^,]*,(\d+)/.exec(tag("protobuf") ?? "")?.[1];
    const n = number === undefined ? {} : { n: Number(number) };
    if (options.includes("inline")) return { inline: this.#nameOf(file, goType.replace("*", "")), ...n };
    const marker = (name: string) => comment.find((text) => text.startsWith(`+${name}=`))?.slice(name.length + 2);
    const isRequired = comment.includes("+required") || comment.includes("+k8s:required");
    const isOptional = !isRequired && (options.includes("omitempty") || comment.includes("+optional"));
    const isNullIfUnset = goType.endsWith("Time") && options.includes("omitempty") && !options.includes("omitzero");
    const keys = comment.filter((text) => text.startsWith("+listMapKey=")).map((text) => text.slice(12));
    return {
      json,
      ...n,
      ...this.#typeOf(file, goType),
      ...optionalFact("patchStrategy", tag("patchStrategy")),
      ...optionalFact("patchMergeKey", tag("patchMergeKey")),
      ...optionalFact("listType", marker("listType")),
      ...(keys.length > 0 ? { listMapKeys: keys } : {}),
      ...optionalFact("mapType", marker("mapType")),
      ...optionalFact("structType", marker("structType")),
      ...optionalFact("default", marker("default")),
      ...optionalFact("gate", gateOf(marker("featureGate"))),
      ...(isNullIfUnset ? { nullIfUnset: true } : {}),
      ...(isOptional ? {} : { required: true }),
    };
  }

  /** Returns the form of a Go type: `[]*Container`, `map[string]string`. Named types without fields count as what they stand for. */
  #typeOf(file: GoFile, goType: string): Pick<GoField, "type" | "shape" | "ptr"> {
    if (goType === "[]byte") return { type: "bytes" };
    if (goType.startsWith("*")) return { ...this.#typeOf(file, goType.slice(1)), ptr: true };
    if (goType.startsWith("[]")) return { ...this.#typeOf(file, goType.slice(2).replace("*", "")), shape: "list" };
    const map = /^map\[\w+(?:\.\w+)?\](.*)$/.exec(goType);
    if (map) {
      const value = this.#typeOf(file, map[1] ?? "");
      return { ...(value.shape === "list" ? { type: { of: ["list", "string"] } } : value), shape: "map" };
    }
    return this.#named(file, goType);
  }

  #named(file: GoFile, goType: string): Pick<GoField, "type" | "shape" | "ptr"> {
    if (builtIn.has(goType)) return { type: goType };
    const name = this.#nameOf(file, goType);
    const declaration = this.#declarations.get(name);
    const form = forms[name] ?? scalars[name];
    if (form !== undefined) return { type: form };
    if (!declaration || declaration.text === "struct {") return { type: name };
    if (!declaration.comment.includes("+enum")) return this.#typeOf(declaration.file, declaration.text);
    this.#enums[name] = [...(this.#constants.get(name) ?? [])].sort();
    return { type: `enum:${name}` };
  }

  #nameOf(file: GoFile, goType: string): string {
    const [qualifier, local] = goType.includes(".") ? goType.split(".") : [undefined, goType];
    const name = `${qualifier === undefined ? file.package : (file.imports.get(qualifier) ?? qualifier)}.${local ?? ""}`;
    const declaration = this.#declarations.get(name);
    // An alias of a struct in another package.
    return declaration && /^\w+\.[A-Z]\w*$/.test(declaration.text)
      ? this.#nameOf(declaration.file, declaration.text)
      : name;
  }
}

function optionalFact<Key extends string>(key: Key, value: string | undefined): { [Name in Key]?: string } {
  // A computed key of a literal type.
  return value === undefined ? {} : ({ [key]: value } as { [Name in Key]: string });
}
