// `npm run backup -- --to <folder or s3://bucket/prefix>`: copies a service with all sandboxes. The service goes on meanwhile.
import { openArchive } from "./backup/archive.ts";
import { backUp } from "./backup/back-up.ts";
import { bucketSettings } from "./backup/bucket.ts";
import { readLocalFiles } from "./backup/local-files.ts";
import { type CopiedService, deployedService, localService } from "./backup/source.ts";
import { messageOfError, readWords } from "./command-words.ts";

const usage = `Usage: npm run backup -- --to <folder or s3://bucket/prefix> [--server https://sandbar.example.org]

Copies everything that a service stores into a new folder below the given one. Without --server, of the local service of SANDBAR_DATA (.sandbar),
whether it runs or not; with it, SANDBAR_OPERATOR_KEY is needed. A bucket needs AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
The backup has everything that the service knows: keep it as you keep its secret.`;

process.exit(await run());

async function run(): Promise<number> {
  const { values } = readWords(usage, {
    options: { to: { type: "string" }, server: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help || !values.to) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  let service: CopiedService | undefined;
  try {
    const name = `sandbar-${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}Z`;
    const archive = openArchive(`${values.to.replace(/\/$/, "")}/${name}`, bucketSettings(process.env));
    service = values.server ? deployedService(values.server, process.env) : await localService(process.env);
    const { copies, data } = service;
    const beganMs = Date.now();
    const copied = await backUp({
      ...{ copies, archive, local: data === undefined ? new Map() : readLocalFiles(data) },
      nowMs: Date.now,
      wait: (ms) => new Promise((done) => void setTimeout(done, ms)),
    });
    const { rows, files, sandboxes, organisations, bytes, failures } = copied;
    console.log(
      `${rows} rows, ${files} files, ${sandboxes} sandboxes, ${organisations} organisations: ${bytes} bytes in ${Date.now() - beganMs} ms`,
    );
    console.log(archive.name);
    for (const failure of failures) console.error(`not copied: ${failure}`);
    return failures.length > 0 ? 1 : 0;
  } catch (error) {
    console.error(messageOfError(error));
    return 1;
  } finally {
    await service?.end();
  }
}
