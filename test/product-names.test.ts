// Names of products appear in their modules only, so that a product is added and removed in one place.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { products } from "../worker/containers/products/catalogue.ts";
import { lackedPrograms } from "../worker/containers/products/programs.ts";
import type { Product } from "../worker/containers/products/module.ts";
import { programs } from "../worker/containers/shell/programs.ts";

const root = resolve(import.meta.dirname, "..");
const modules = "worker/containers/products/";
/** Files that may name products: manifests of the cluster's own pods and of built-in templates, other packages, and upstream's types. */
const manifests = [
  "worker/cluster/bootstrap/",
  "worker/cluster/base/",
  "worker/machine/machine.ts",
  "worker/edge/control-api/templates/built-in.ts",
  "shared/k8s/api/",
  "shared/contract/cluster/image/packages.ts",
];

/** Files that name a product so far: this list may only get shorter. */
const exceptions: readonly string[] = [
  // Names of other gateways' controllers, whose classes the sandbox serves.
  "worker/kinds/networking/gateway/objects.ts",
  // The name of a user that images have.
  "shared/contract/cluster/image/image.ts",
];

const productNames = products.flatMap((product) => product.names);

/** Returns the names in a text, whole words only, in `camelCase`, `kebab-case` and prose. */
function namesIn(text: string): string[] {
  const words = text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return productNames.filter((name) => pattern(name).test(words));
}

const patterns = new Map<string, RegExp>();

function pattern(name: string): RegExp {
  const compiled =
    patterns.get(name) ?? new RegExp(`(?<![a-z])${name.toLowerCase().replaceAll("-", "[-_ ]?")}(?![a-z])`);
  patterns.set(name, compiled);
  return compiled;
}

function sources(): string[] {
  return ["worker", "shared"].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
}

test("T11: no file names a product outside of the products' modules", () => {
  const named = sources()
    .filter((file) => ![modules, ...manifests].some((folder) => file.startsWith(folder)))
    .map((file) => ({ file, names: namesIn(readFileSync(join(root, file), "utf8")) }))
    .filter(({ names }) => names.length > 0);
  expect(
    named.filter(({ file }) => !exceptions.includes(file)).map(({ file, names }) => `${file}: ${names.join(", ")}`),
  ).toEqual([]);
  expect(exceptions.filter((file) => named.every((source) => source.file !== file))).toEqual([]);
});

test("T11: no two products have the same name of an image, a configuration or a program", () => {
  const keysOf = (pick: (product: Product) => object | undefined) =>
    products.flatMap((product) => Object.keys(pick(product) ?? {}));
  const lines = products.flatMap(({ configurations = "" }) => configurations.split("\n").filter((line) => line !== ""));
  const all = [
    keysOf(({ images }) => images),
    keysOf((product) => product.programs),
    lines.map((line) => line.split(" ")[0] ?? ""),
  ];
  expect(all.flatMap((keys) => keys.filter((key, at) => keys.indexOf(key) !== at))).toEqual([]);
});

test("T11: the command of every image is a program, or listed as not simulated", () => {
  const commands = products.flatMap(({ images = {} }) =>
    Object.entries(images).map(
      ([
        name,
        {
          command: [path = ""],
        },
      ]) => ({ name, path }),
    ),
  );
  const isProgram = (path: string) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return programs.has(path) || programs.has(name) || lackedPrograms.has(name);
  };
  expect(commands.filter(({ path }) => !isProgram(path)).map(({ name, path }) => `${name}: ${path}`)).toEqual([]);
});

test.each([
  ["newRedisConversation", ["redis"]],
  ["cert_manager and certManager", ["cert-manager"]],
  ["redistribute, among others", []],
  ["docker.io/library/nginx:latest", ["nginx"]],
])("T11: the product names in %j are %j", (text, expected) => {
  expect(namesIn(text)).toEqual(expected);
});
