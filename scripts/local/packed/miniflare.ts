// Bundles Miniflare into the package, so that its user installs workerd and nothing else. Miniflare reads the Workers of its bindings from
// files beside its own. Those of bindings that the service has are copied.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Plugin, build } from "esbuild";
import { withLargeGrowth } from "../miniflare.ts";

/** Miniflare's Workers of bindings that the service does not have: the large ones. Shared storage loads those of images and streams. */
const unusedWorkers = [
  "browser-rendering",
  "dispatch-namespace",
  "email/send_email.worker.js",
  "local-explorer",
  "r2/s3",
  "shared/remote-proxy-client.worker.js",
  "workflows/binding.worker.js",
];
/** The exports of `scripts/local/miniflare.ts` that `service.ts` imports. */
const importedNames = ["Log", "LogLevel", "Miniflare", "convertV4MiniflareOptions"];
/** The packages that Miniflare loads for bindings that the service does not have. */
const absentPackages = ["sharp"];

/** Returns the exact versions of workerd's packages, one for each platform. npm installs the one that fits. */
export function workerdPackages(): Readonly<Record<string, string>> {
  return packageOf("workerd").manifest.optionalDependencies ?? {};
}

/** Writes `miniflare/index.cjs`, its Workers and the licenses of what is bundled into `folder`. */
export async function bundleMiniflare(root: string, folder: string): Promise<void> {
  const source = join(packageOf("miniflare").folder, "dist/src");
  const out = join(folder, "miniflare");
  mkdirSync(out, { recursive: true });
  const common = {
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node22",
    minify: true,
    charset: "utf8",
    legalComments: "none",
    logLevel: "error",
  } as const;
  const { metafile } = await build({
    ...common,
    entryPoints: [join(source, "index.js")],
    outfile: join(out, "index.cjs"),
    external: absentPackages,
    metafile: true,
    // Node cannot detect the exported names in minified code, and an ES module imports them.
    footer: { js: `0&&(module.exports={${importedNames.join()}});` },
    plugins: [workerdPath, undiciBeside(source)],
  });
  await build({ ...common, entryPoints: ["undici"], outfile: join(out, "undici.cjs") });
  const workers = join(source, "workers");
  const unused = new Set(unusedWorkers.map((name) => join(workers, name)));
  const filter = (path: string) => !path.endsWith(".map") && !unused.has(path);
  cpSync(workers, join(out, "workers"), { recursive: true, filter });
  copyLicenses([...Object.keys(metafile.inputs), "node_modules/undici/index.js"], join(folder, "licenses"));
}

/** Replaces `scripts/local/miniflare.ts`, which loads the package of a checkout, with the bundle. */
export const bundledMiniflare: Plugin = {
  name: "bundled-miniflare",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/miniflare\.ts$/ }, () => ({ path: "./miniflare/index.cjs", external: true }));
  },
};

/** Replaces the package `workerd`, whose JavaScript has 5 MB and runs a program when it is installed. */
const workerdPath: Plugin = {
  name: "workerd-path",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^workerd$/ }, () => ({ path: "workerd", namespace: "workerd-path" }));
    onLoad({ filter: /.*/, namespace: "workerd-path" }, () => {
      const { version } = packageOf("workerd").manifest;
      const names = Object.keys(workerdPackages());
      // The names say "64" for x64, and Windows has one package for both processors.
      const contents = `
        const processor = process.arch === "x64" || process.platform === "win32" ? "64" : process.arch;
        const system = process.platform === "win32" ? "windows" : process.platform;
        const name = "@cloudflare/workerd-" + system + "-" + processor;
        exports.version = ${JSON.stringify(version)};
        exports.compatibilityDate = ${JSON.stringify(dateOf(version))};
        exports.__esModule = true;
        try {
          exports.default = require.resolve(name + "/bin/workerd" + (system === "windows" ? ".exe" : ""));
        } catch {
          throw new Error(${JSON.stringify(names)}.includes(name) ? name + " is not installed: install without --omit=optional" : "workerd does not run on " + process.platform + " " + process.arch);
        }`;
      return { contents, loader: "js" };
    });
  },
};

/**
 * Keeps undici in a file of its own. A thread of Miniflare, which makes its synchronous requests, runs a text that requires undici by name;
 * that text is changed to name the file.
 */
function undiciBeside(source: string): Plugin {
  const required = 'actualRequire("undici")';
  return {
    name: "undici-beside",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^undici$/ }, ({ kind }) =>
        kind === "entry-point" ? undefined : { path: "./undici.cjs", external: true },
      );
      onLoad({ filter: /miniflare\/dist\/src\/index\.js$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (text.split(required).length !== 2) throw new Error(`${source} does not say ${required} once`);
        const contents = withLargeGrowth(text).replace(required, 'actualRequire("./undici.cjs")');
        return { contents, loader: "js" };
      });
    },
  };
}

/** Returns the date of a version: 2026-09-18 for `1.20260918.1`. */
function dateOf(version: string): string {
  return version.replace(/^\d+\.(\d{4})(\d\d)(\d\d)\..*$/, "$1-$2-$3");
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function packageOf(name: string): { readonly folder: string; readonly manifest: Manifest } {
  let folder = dirname(createRequire(import.meta.url).resolve(name));
  for (;;) {
    try {
      // A package's package.json.
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
      if (manifest.name === name) return { folder, manifest };
    } catch {
      // This is a folder inside the package.
    }
    folder = dirname(folder);
  }
}

/** Copies the license of each bundled package. */
function copyLicenses(inputs: readonly string[], folder: string): void {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []);
  mkdirSync(folder, { recursive: true });
  for (const from of new Set(folders)) {
    // A package's package.json.
    const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Manifest;
    const file = join(folder, `${manifest.name.replaceAll("/", "-")}.txt`);
    const license = readdirSync(from).find((name) => /^licen[cs]e/i.test(name));
    if (license) copyFileSync(join(from, license), file);
    else writeFileSync(file, `${manifest.name} ${manifest.version}: ${manifest.license ?? "unknown"}\n`);
  }
}
