// Builds everything that is deployed or published: the Worker into dist/worker, the console into dist/web, the packages into dist/client
// and dist/local. `npm run build` runs it, and so do the scripts that start the service. `--service` leaves the packages out.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { existsSync, globSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { fileURLToPath } from "node:url";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import { buildClient } from "./client/build.ts";
import { jsonText } from "./packed-data/json-text.ts";
import { packedBase } from "./packed-data/packed-base.ts";
import { writeInterpreters } from "./interpreters/interpreters.ts";
import { buildLocal } from "./local/packed/build.ts";
import { writeSite } from "./docs/site.ts";
import { checkReport, describeReport, workerReport } from "./worker-report.ts";

const compress = promisify(brotliCompress);

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Builds the files that the service runs on. */
export async function build(): Promise<void> {
  await Promise.all([buildWorker(), buildConsole()]);
}

export async function buildWorker(): Promise<void> {
  const folder = `${root}dist/worker`;
  await mkdir(folder, { recursive: true });
  // Every module of the folder is uploaded, so those of an earlier build are deleted.
  for (const name of globSync("*.{js,js.map}", { cwd: folder })) rmSync(`${folder}/${name}`);
  writeInterpreters(root, folder);
  await esbuild({
    absWorkingDir: root,
    entryPoints: ["worker/index.ts"],
    outdir: folder,
    // In one file, esbuild wraps each module that an `import()` can reach in a function, which the engine then parses twice.
    splitting: true,
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*", "*.wasm"],
    plugins: [jsonText, packedBase],
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: true,
    legalComments: "none",
    logLevel: "warning",
  });
}

export async function buildConsole(): Promise<void> {
  const web = `${root}web`;
  const outDir = `${root}dist/web`;
  if (existsSync(`${web}/index.html`)) {
    await vite({ root: web, logLevel: "warn", build: { outDir, emptyOutDir: true } });
    writeSite(root, outDir);
    await buildElements(outDir);
    await compressTexts(outDir);
    return;
  }
  await mkdir(outDir, { recursive: true });
  await writeFile(`${outDir}/index.html`, "<!doctype html><title>Sandbar</title><p>Sandbar is running.</p>\n");
}

/** Stores each text compressed beside it, as `worker/edge/service/built-files.ts` reads it. */
async function compressTexts(folder: string): Promise<void> {
  const names = globSync("**/*.{css,html,js,json,svg}", { cwd: folder });
  await Promise.all(
    names.map(async (name) => {
      const text = await readFile(`${folder}/${name}`);
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
      await writeFile(`${folder}/${name}.br`, await compress(text, { params }));
    }),
  );
}

/** Builds the script that other sites load, as one file with a fixed name. */
async function buildElements(outDir: string): Promise<void> {
  await esbuild({
    absWorkingDir: root,
    entryPoints: ["web/embed/element/embed.ts"],
    outfile: `${outDir}/embed.js`,
    bundle: true,
    format: "esm",
    target: ["es2022", "chrome119", "firefox121", "safari17.4"],
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await build();
  if (process.argv.includes("--service")) process.exit(0);
  await buildClient(root);
  await buildLocal(root);
  const report = workerReport(`${root}dist/worker`);
  console.log(describeReport(report));
  checkReport(report);
}
