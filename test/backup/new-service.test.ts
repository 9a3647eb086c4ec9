// The data folder into which a backup is restored.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newLocalService } from "../../scripts/backup/source.ts";
import { readSettings } from "../../scripts/local/settings.ts";
import type { MaintenanceOptions } from "../../scripts/local/maintenance.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sandbar-new-service-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Opens a service that writes its files and then fails to start. */
async function failing({ environment, prepare }: MaintenanceOptions): Promise<never> {
  await prepare?.(await readSettings(environment));
  throw new Error("workerd could not be started");
}

describe("a new data folder", () => {
  test("is removed if the service does not start, so that the same restore can be run again", async () => {
    const data = join(folder, "new");
    const environment = { SANDBAR_DATA: data };
    const written: string[] = [];
    const restore = () =>
      newLocalService(environment, (path) => writeFileSync(join(path, "secret"), String(written.push(path))), failing);
    await expect(restore()).rejects.toThrow(
      `workerd could not be started\nNothing was restored, and ${data} was removed.`,
    );
    expect(existsSync(data)).toBe(false);
    await expect(restore()).rejects.toThrow("workerd could not be started");
    expect(written).toEqual([data, data]);
  });

  test("stays if another process holds it", async () => {
    const locked = () => Promise.reject(new Error("the folder is in use"));
    await expect(newLocalService({ SANDBAR_DATA: folder }, () => undefined, locked)).rejects.toThrow(
      /^the folder is in use$/,
    );
    expect(existsSync(folder)).toBe(true);
  });

  test("is refused if it has any file", async () => {
    writeFileSync(join(folder, "letter"), "mine");
    await expect(newLocalService({ SANDBAR_DATA: folder }, () => undefined, failing)).rejects.toThrow("is not empty");
    expect(readFileSync(join(folder, "letter"), "utf8")).toBe("mine");
  });
});
