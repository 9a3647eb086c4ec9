// Restores a backup into an empty service: objects and files first, and the rows of D1 last, so that an interrupted restore leaves no row and
// can be run again.
import type { ServiceCopies } from "../../client/copies.ts";
import type { CopiedRows } from "../../client/types.ts";
import type { Archive } from "./archive.ts";
import { inParallel } from "./back-up.ts";
import { fileOf, linesOf, nameBelow } from "./copied-files.ts";
import { bytesOf, type Manifest } from "./manifest.ts";

export interface Restored {
  readonly rows: number;
  readonly files: number;
  readonly sandboxes: number;
  readonly organisations: number;
}

/** The characters of a request with rows, and of one with a page of an object. */
const rowCharacters = 500_000;
const pageCharacters = 1_000_000;
/** The rows of a request with rows. */
const rowsAtOnce = 250;

type Cells = CopiedRows["rows"][number];

/** Throws before anything is written if the service is not empty, or has another secret. */
export async function requireEmpty(copies: ServiceCopies, manifest: Manifest): Promise<void> {
  const { secrets, databases } = await copies.copyFacts();
  if (!manifest.secrets.every((secret) => secrets.includes(secret)))
    throw new Error(
      "the service has another SANDBAR_SECRET than the one that was backed up: its ids and tokens would be invalid",
    );
  if (databases.length !== manifest.databases.length)
    throw new Error(`the service has ${databases.length} databases, and the backup ${manifest.databases.length}`);
  const full = databases.flat().find(({ rows }) => rows > 0);
  if (full) throw new Error(`the service is not empty: table ${full.table} has ${full.rows} rows`);
}

export async function restore(copies: ServiceCopies, archive: Archive, manifest: Manifest): Promise<Restored> {
  await requireEmpty(copies, manifest);
  const names = Object.keys(manifest.files);
  const below = (folder: string) => names.flatMap((file) => nameBelow(folder, file) ?? []);
  const objects = (["tenants", "clusters"] as const).flatMap((kind) =>
    below(kind).map((name) => ({ kind, id: name.replace(/\.jsonl\.gz$/, "") })),
  );
  await inParallel(objects, async ({ kind, id }) => {
    await restoreObject(copies, { kind, id }, linesOf(archive.read(fileOf.object(kind, id))));
  });
  const files = below("files");
  for (const key of files) await copies.restoreFile(key, await bytesOf(archive.read(fileOf.file(key))));
  let rows = 0;
  const notCopied = manifest.missing.flatMap((object) => nameBelow("clusters", object) ?? []);
  const ended = new Set([...manifest.ended, ...notCopied]);
  for (const [database, tables] of manifest.databases.entries())
    for (const table of tables) rows += await restoreTable({ copies, archive, ended }, database, table);
  return {
    rows,
    files: files.length,
    sandboxes: objects.filter(({ kind }) => kind === "clusters").length,
    organisations: objects.filter(({ kind }) => kind === "tenants").length,
  };
}

async function restoreObject(
  copies: ServiceCopies,
  object: { readonly kind: "clusters" | "tenants"; readonly id: string },
  lines: AsyncIterable<string>,
): Promise<void> {
  let session: string | undefined;
  let isComplete = false;
  const send = async (page: string) => {
    ({ session, isComplete } = await copies.restoreObject(
      session === undefined ? object : { ...object, session },
      page,
    ));
  };
  let page = "";
  for await (const line of lines) {
    page += `${line}\n`;
    if (page.length < pageCharacters) continue;
    await send(page);
    page = "";
  }
  if (page) await send(page);
  if (!isComplete) throw new Error(`the copy of ${object.kind}/${object.id} has no end`);
}

interface RestoringTable {
  readonly copies: ServiceCopies;
  readonly archive: Archive;
  /** The sandboxes without an object, whose rows are left out. */
  readonly ended: ReadonlySet<string>;
}

async function restoreTable(
  { copies, archive, ended }: RestoringTable,
  database: number,
  table: string,
): Promise<number> {
  let columns: string[] | undefined;
  let rows: Cells[] = [];
  let characters = 0;
  let count = 0;
  const send = async () => {
    if (columns && rows.length > 0) await copies.restoreRows({ database, table, columns, rows });
    count += rows.length;
    rows = [];
    characters = 0;
  };
  for await (const line of linesOf(archive.read(fileOf.table(database, table)))) {
    if (!columns) {
      // `back-up.ts` wrote the lines, and their checksums were verified.
      ({ columns } = JSON.parse(line) as { columns: string[] });
      continue;
    }
    const row = JSON.parse(line) as Cells;
    const id = row[columns.indexOf("id")];
    if (table === "sandboxes" && typeof id === "string" && ended.has(id)) continue;
    if (characters + line.length > rowCharacters) await send();
    rows.push(row);
    characters += line.length;
    if (rows.length >= rowsAtOnce) await send();
  }
  await send();
  return count;
}
