// Moves the files of sandboxes' objects to the processes that hold them, before any process runs: the number of processes may have changed.
import { existsSync, globSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { processOf } from "../../shared/contract/hosted/processes.ts";
import { clustersFolderOf, databaseEndings, objectIdOf, stateFolderOf } from "./object-files.ts";

/** The file in which workerd keeps the alarms of a folder's objects. */
const alarmsFile = "metadata.sqlite";
/** workerd's own table of alarms. */
const alarmsTable = `CREATE TABLE IF NOT EXISTS _cf_ALARM (
  actor_id TEXT PRIMARY KEY, scheduled_time INTEGER, actor_name TEXT) WITHOUT ROWID`;

/** Moves files and alarms. If it is interrupted, the next start goes on. Returns the number of moved objects. */
export function moveObjects(data: string, processes: number): number {
  const earlier = processFoldersIn(data);
  if (processes === 1 && earlier.length <= 1) return 0;
  let moved = 0;
  const names = sandboxNamesIn(data);
  for (const from of earlier) {
    const folder = clustersFolderOf(data, from);
    const files = new Set(readdirSync(folder));
    for (const name of names) {
      const to = processOf(name, processes);
      if (to === from || !files.has(`${objectIdOf(name, from)}.sqlite`)) continue;
      moveObject(data, name, from, to);
      moved++;
    }
  }
  return moved;
}

/** Returns the processes that hold at least one object. */
export function processesWithObjects(data: string): number[] {
  const isObject = (file: string) => file.endsWith(".sqlite") && file !== alarmsFile;
  return processFoldersIn(data).filter((process) => readdirSync(clustersFolderOf(data, process)).some(isObject));
}

function processFoldersIn(data: string): number[] {
  const numbers = globSync("process-*", { cwd: stateFolderOf(data, 0) }).map((name) => Number(name.slice(8)));
  return [0, ...numbers].filter((process) => existsSync(clustersFolderOf(data, process)));
}

/** Reads the ids of all sandboxes from the file of the local D1. */
function sandboxNamesIn(data: string): string[] {
  return globSync("d1/*/*.sqlite", { cwd: stateFolderOf(data, 0) }).flatMap((file) => {
    const database = new DatabaseSync(join(stateFolderOf(data, 0), file));
    try {
      if (!database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sandboxes'").get()) return [];
      return database
        .prepare("SELECT id FROM sandboxes")
        .all()
        .map(({ id }) => String(id));
    } finally {
      database.close();
    }
  });
}

/** The alarm moves first and the main file last, because the main file is what a repetition looks for. */
function moveObject(data: string, name: string, from: number, to: number): void {
  const folders = { from: clustersFolderOf(data, from), to: clustersFolderOf(data, to) };
  const ids = { from: objectIdOf(name, from), to: objectIdOf(name, to) };
  mkdirSync(folders.to, { recursive: true, mode: 0o700 });
  moveAlarm(folders, ids, name);
  for (const ending of databaseEndings.toReversed()) {
    const file = join(folders.from, ids.from + ending);
    if (existsSync(file)) renameSync(file, join(folders.to, ids.to + ending));
  }
}

interface Move {
  readonly from: string;
  readonly to: string;
}

function moveAlarm(folders: Move, ids: Move, name: string): void {
  const source = join(folders.from, alarmsFile);
  if (!existsSync(source)) return;
  const database = new DatabaseSync(join(folders.to, alarmsFile));
  try {
    database.exec(alarmsTable);
    database.prepare("ATTACH ? AS source").run(source);
    database
      .prepare("INSERT OR REPLACE INTO _cf_ALARM SELECT ?, scheduled_time, ? FROM source._cf_ALARM WHERE actor_id = ?")
      .run(ids.to, name, ids.from);
    database.prepare("DELETE FROM source._cf_ALARM WHERE actor_id = ?").run(ids.from);
  } finally {
    database.close();
  }
}
