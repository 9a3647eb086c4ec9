// Copies a service: the rows of D1 first, then the files, and the objects of the sandboxes and organisations in those rows.
import type { ServiceCopies } from "../../client/copies.ts";
import { SandbarError } from "../../client/index.ts";
import type { CopiedRows } from "../../client/types.ts";
import type { Archive } from "./archive.ts";
import { fileOf, gzipped } from "./copied-files.ts";
import { type Manifest, manifestFile, Recorder } from "./manifest.ts";

export interface BackupOptions {
  readonly copies: ServiceCopies;
  readonly archive: Archive;
  /** Files of the data folder of a local service, by name. */
  readonly local: ReadonlyMap<string, Uint8Array>;
  nowMs(): number;
  wait(ms: number): Promise<void>;
}

export interface Copied {
  readonly rows: number;
  readonly files: number;
  readonly sandboxes: number;
  readonly organisations: number;
  readonly bytes: number;
  /** Objects that could not be copied, with the reasons. */
  readonly failures: readonly string[];
}

const objectsAtOnce = 4;
/** How often a copy is begun again that was interrupted, and the milliseconds before. */
const attempts = 5;
const retryMs = 2_000;

interface Ids {
  readonly clusters: Set<string>;
  readonly tenants: Set<string>;
}

export async function backUp({ copies, archive, local, nowMs, wait }: BackupOptions): Promise<Copied> {
  if (!(await archive.isEmpty())) throw new Error(`${archive.name} is not empty`);
  const recorder = new Recorder(archive);
  const { secrets, databases } = await copies.copyFacts();
  const ids: Ids = { clusters: new Set(), tenants: new Set() };
  let rows = 0;
  const tables: string[][] = [];
  for (const at of databases.keys()) {
    const { tables: firstPages } = await copies.copyRows({ database: at });
    tables.push(firstPages.map(({ table }) => table));
    for (const page of firstPages) rows += await saveTable({ copies, recorder, ids, nowMs: nowMs() }, at, page);
  }
  const ended: string[] = [];
  const failures: string[] = [];
  const missing: string[] = [];
  let files = 0;
  for await (const key of filesOf(copies)) files += await saveFile(copies, recorder, key);
  const objects = [...ids.tenants].map((id) => ["tenants", id] as const);
  const clusters = [...ids.clusters].map((id) => ["clusters", id] as const);
  let sandboxes = 0;
  let organisations = 0;
  await inParallel([...objects, ...clusters], async ([kind, id]) => {
    try {
      await saveObject({ copies, recorder, wait }, kind, id);
      if (kind === "clusters") sandboxes++;
      else organisations++;
    } catch (error) {
      if (!(error instanceof SandbarError)) throw error;
      // An organisation without sandboxes and webhooks has no object.
      if (error.code !== "not_found") {
        failures.push(`${kind}/${id}: ${error.message}`);
        missing.push(`${kind}/${id}`);
      } else if (kind === "clusters") ended.push(id);
    }
  });
  for (const [name, bytes] of local) await recorder.save(fileOf.local(name), [bytes]);
  const manifest: Manifest = {
    version: 1,
    createdAt: new Date(nowMs()).toISOString(),
    secrets,
    databases: tables,
    files: recorder.files,
    ended: ended.sort(),
    missing: missing.sort(),
  };
  await archive.save(manifestFile, [Buffer.from(JSON.stringify(manifest, undefined, 2))]);
  const bytes = Object.values(recorder.files).reduce((sum, file) => sum + file.bytes, 0);
  return { rows, files, sandboxes, organisations, bytes, failures };
}

interface Saving {
  readonly copies: ServiceCopies;
  readonly recorder: Recorder;
}

/** Saves a table, and collects the ids of objects in its rows. */
async function saveTable(
  { copies, recorder, ids, nowMs }: Saving & { readonly ids: Ids; readonly nowMs: number },
  database: number,
  first: CopiedRows,
): Promise<number> {
  let rows = 0;
  async function* lines() {
    const { table, columns } = first;
    yield `${JSON.stringify({ table, columns })}\n`;
    for (let page: CopiedRows | undefined = first; page; ) {
      for (const row of page.rows) yield `${JSON.stringify(row)}\n`;
      rows += page.rows.length;
      collectIds(ids, page, nowMs);
      page =
        page.after === undefined
          ? undefined
          : (await copies.copyRows({ database, table, after: page.after })).tables[0];
    }
  }
  await recorder.save(fileOf.table(database, first.table), gzipped(lines()));
  return rows;
}

/** Returns the text of a cell that holds an id. */
function textOf(cell: unknown): string {
  return typeof cell === "string" ? cell : "";
}

/** Expired sandboxes have rows for a time, and no object. */
function collectIds(ids: Ids, { table, columns, rows }: CopiedRows, nowMs: number): void {
  const [idAt, expiryAt] = [columns.indexOf("id"), columns.indexOf("expires_at_ms")];
  for (const row of rows) {
    const id = textOf(row[idAt]);
    if (table === "tenants") ids.tenants.add(id);
    if (table === "sandboxes" && Number(row[expiryAt]) > nowMs) ids.clusters.add(id);
  }
}

async function* filesOf(copies: ServiceCopies): AsyncGenerator<string> {
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await copies.copyFiles(cursor);
    yield* page.files;
    cursor = page.nextCursor;
  }
}

/** Saves a file. Returns 0 if it was removed meanwhile. */
async function saveFile(copies: ServiceCopies, recorder: Recorder, key: string): Promise<number> {
  try {
    await recorder.save(fileOf.file(key), [await copies.copyFile(key)]);
    return 1;
  } catch (error) {
    if (error instanceof SandbarError && error.code === "not_found") return 0;
    throw error;
  }
}

async function saveObject(
  { copies, recorder, wait }: Saving & Pick<BackupOptions, "wait">,
  kind: "clusters" | "tenants",
  id: string,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const first = await copies.copyObject({ kind, id });
      return await recorder.save(fileOf.object(kind, id), gzipped(pagesAfter(copies, { kind, id }, first)));
    } catch (error) {
      const isPassing = error instanceof SandbarError && ["lost", "busy"].includes(error.code);
      if (!isPassing || attempt >= attempts) throw error;
      await wait(retryMs * attempt);
    }
  }
}

async function* pagesAfter(
  copies: ServiceCopies,
  object: { readonly kind: "clusters" | "tenants"; readonly id: string },
  first: { readonly session: string; readonly text: string; readonly isLast: boolean },
): AsyncGenerator<string> {
  let page = first;
  yield page.text;
  while (!page.isLast) {
    page = await copies.copyObject({ ...object, session: page.session });
    yield page.text;
  }
}

export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: objectsAtOnce }, worker));
}
