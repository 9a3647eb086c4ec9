// `sandbar export-organisation`: writes an archive with everything that is stored of an organisation.
import { createWriteStream, renameSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Run } from "./command-run.ts";

export async function exportOrganisation(run: Run): Promise<void> {
  const archive = run.client.people.exportTenant();
  const path = run.text("output");
  if (path === undefined) {
    for await (const chunk of archive) run.print(chunk);
    return;
  }
  // An interrupted export leaves no file that looks complete.
  await pipeline(archive, createWriteStream(`${path}.part`, { mode: 0o600 }));
  renameSync(`${path}.part`, path);
}
