// The files of objects follow their sandboxes when the number of processes changes.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { moveObjects, processesWithObjects } from "../../scripts/local/moved-objects.ts";
import { clustersFolderOf, objectIdOf } from "../../scripts/local/object-files.ts";
import { processOf } from "../../shared/contract/hosted/processes.ts";

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "sandbar-moved-"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const sandboxes = Array.from({ length: 20 }, (_, at) => `${"abcdefghijklmnopqrst"[at]}bcdefghijklmnopqrstuvwxy2`);

/** Writes a data folder of a service with one process. */
function singleProcess(ids: readonly string[]): void {
  const d1 = join(data, "state/d1/miniflare-D1DatabaseObject");
  mkdirSync(d1, { recursive: true });
  withDatabase(join(d1, "a.sqlite"), (database) => {
    database.exec("CREATE TABLE sandboxes (id TEXT)");
    for (const id of ids) database.prepare("INSERT INTO sandboxes VALUES (?)").run(id);
  });
  withDatabase(join(d1, "metadata.sqlite"), (database) => database.exec("CREATE TABLE _cf_ALARM (actor_id TEXT)"));
  const folder = clustersFolderOf(data, 0);
  mkdirSync(folder, { recursive: true });
  withDatabase(join(folder, "metadata.sqlite"), (database) => {
    database.exec(
      "CREATE TABLE _cf_ALARM (actor_id TEXT PRIMARY KEY, scheduled_time INTEGER, actor_name TEXT) WITHOUT ROWID",
    );
    for (const id of ids) {
      writeFileSync(join(folder, `${objectIdOf(id, 0)}.sqlite`), id);
      writeFileSync(join(folder, `${objectIdOf(id, 0)}.sqlite-wal`), id);
      // Nanoseconds, which no number of JavaScript holds.
      database.prepare("INSERT INTO _cf_ALARM VALUES (?, 1798508514327000001, NULL)").run(objectIdOf(id, 0));
    }
  });
}

function withDatabase<T>(file: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Returns the sandboxes whose main file, log and alarm are with a process. */
function heldBy(process: number): string[] {
  const folder = clustersFolderOf(data, process);
  if (!existsSync(folder)) return [];
  return withDatabase(join(folder, "metadata.sqlite"), (database) => {
    const alarms = database.prepare("SELECT actor_id, CAST(scheduled_time AS TEXT) AS time FROM _cf_ALARM").all();
    const times = new Map(alarms.map((row) => [row["actor_id"], row["time"]]));
    return sandboxes.filter((id) => {
      const objectId = objectIdOf(id, process);
      const hasFiles = [".sqlite", ".sqlite-wal"].every((ending) => existsSync(join(folder, objectId + ending)));
      return hasFiles && times.get(objectId) === "1798508514327000001";
    });
  });
}

const shareOf = (process: number, processes: number) => sandboxes.filter((id) => processOf(id, processes) === process);

describe("moveObjects", () => {
  test("moves files and alarms to the process of each sandbox, for more and for fewer processes", () => {
    singleProcess(sandboxes);
    for (const processes of [3, 2, 5, 1]) {
      moveObjects(data, processes);
      for (let process = 0; process < 5; process++)
        expect(heldBy(process)).toEqual(process < processes ? shareOf(process, processes) : []);
    }
  });

  test("moves nothing if the number is the same, and nothing in a new folder", () => {
    expect(moveObjects(data, 4)).toBe(0);
    singleProcess(sandboxes);
    expect(moveObjects(data, 4)).toBeGreaterThan(0);
    expect(moveObjects(data, 4)).toBe(0);
  });

  test("continues after an interruption between the alarm and the files", () => {
    singleProcess(sandboxes);
    moveObjects(data, 2);
    const [id = ""] = shareOf(1, 2);
    const [from, to] = [0, 1].map((process) => join(clustersFolderOf(data, process), objectIdOf(id, process)));
    // The main file is still in its old place; the alarm and the log have moved.
    rmSync(`${to}.sqlite`);
    writeFileSync(`${from}.sqlite`, id);
    expect(moveObjects(data, 2)).toBe(1);
    expect(heldBy(1)).toEqual(shareOf(1, 2));
  });
});

test("processesWithObjects names the processes that hold sandboxes", () => {
  expect(processesWithObjects(data)).toEqual([]);
  singleProcess(sandboxes);
  expect(processesWithObjects(data)).toEqual([0]);
  moveObjects(data, 2);
  expect(processesWithObjects(data)).toEqual([0, 1]);
  moveObjects(data, 1);
  expect(processesWithObjects(data)).toEqual([0]);
});
