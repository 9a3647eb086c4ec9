// `npm run restore -- --from <folder or s3://bucket/prefix>`: restores a backup into a new data folder, or into an empty deployed service.
import { type Archive, openArchive } from "./backup/archive.ts";
import { bucketSettings } from "./backup/bucket.ts";
import { fileOf, nameBelow } from "./backup/copied-files.ts";
import { writeLocalFiles } from "./backup/local-files.ts";
import { bytesOf, type Manifest, readManifest, verify } from "./backup/manifest.ts";
import { restore } from "./backup/restore.ts";
import { type CopiedService, deployedService, newLocalService } from "./backup/source.ts";
import { messageOfError, readWords } from "./command-words.ts";

const usage = `Usage: npm run restore -- --from <folder or s3://bucket/prefix> [--server https://sandbar.example.org] [--check]

Restores what \`npm run backup\` wrote. Without --server, into SANDBAR_DATA, which must be a new folder; with it, into a deployed service without
organisations that has the same SANDBAR_SECRET, with SANDBAR_OPERATOR_KEY. A backup of a deployed service has no secret: to restore it into
a folder, set SANDBAR_SECRET. --check reads the backup and compares its checksums, and restores nothing;
it ends with 1 if a sandbox or an organisation could not be copied.`;

process.exit(await run());

async function run(): Promise<number> {
  const { values } = readWords(usage, {
    options: {
      from: { type: "string" },
      server: { type: "string" },
      check: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help || !values.from) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  let service: CopiedService | undefined;
  let isRestored = false;
  try {
    const archive = openArchive(values.from, bucketSettings(process.env));
    const manifest = await readManifest(archive);
    await verify(archive, manifest);
    if (values.check || manifest.missing.length > 0) console.log(completenessOf(manifest));
    if (values.check) return manifest.missing.length > 0 ? 1 : 0;
    const beganMs = Date.now();
    service = values.server ? deployedService(values.server, process.env) : await intoFolder(archive, manifest);
    const { rows, files, sandboxes, organisations } = await restore(service.copies, archive, manifest);
    console.log(
      `${rows} rows, ${files} files, ${sandboxes} sandboxes, ${organisations} organisations in ${Date.now() - beganMs} ms`,
    );
    isRestored = true;
    if (service.data) console.log(`SANDBAR_DATA=${service.data} npm start`);
    return 0;
  } catch (error) {
    console.error(messageOfError(error));
    return 1;
  } finally {
    await service?.end();
    if (!isRestored) service?.discard();
  }
}

function completenessOf({ createdAt, missing }: Manifest): string {
  if (missing.length === 0) return `the backup of ${createdAt} is complete`;
  return `the backup of ${createdAt} is complete but for ${missing.join(", ")}, which could not be copied`;
}

async function intoFolder(archive: Archive, { files }: Manifest): Promise<CopiedService> {
  const local = new Map<string, Uint8Array>();
  for (const file of Object.keys(files)) {
    const name = nameBelow("local", file);
    if (name !== undefined) local.set(name, await bytesOf(archive.read(fileOf.local(name))));
  }
  const { SANDBAR_SECRET: secret } = process.env;
  if (secret) local.set("secret", Buffer.from(`${secret}\n`));
  if (!local.has("secret")) throw new Error("the backup has no secret: set SANDBAR_SECRET to that of the service");
  return newLocalService(process.env, (data) => writeLocalFiles(data, local));
}
