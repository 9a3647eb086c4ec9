// `npm run release -- <version>`: creates all files of a release in dist/release. Without `--dry-run` it also writes the version and the
// changelog into the checkout, to be committed and tagged. The CI workflow publishes, so that packages have a provenance.
import { root } from "./build.ts";
import { messageOfError, readWords } from "./command-words.ts";
import { release } from "./release/release.ts";

const usage = `Usage: npm run release -- <version> [--dry-run [--same]] [--skip-build] [--no-image] [--out <folder>]

Makes the packages, the OCI image and the list of checksums of a version in dist/release, and writes the version into the files that state it.

  --dry-run      changes no file of the checkout
  --same         with --dry-run: the checkout may be that of the version already, as at its tag
  --skip-build   packs what dist has already
  --no-image     makes no OCI image; it can only be made on Linux
  --out          another folder than dist/release`;

try {
  const { values, positionals } = readWords(usage, {
    allowPositionals: true,
    options: {
      "dry-run": { type: "boolean" },
      same: { type: "boolean" },
      "skip-build": { type: "boolean" },
      "no-image": { type: "boolean" },
      out: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [version] = positionals;
  if (values.help || version === undefined || positionals.length > 1) {
    console.error(usage);
    process.exitCode = values.help ? 0 : 2;
  } else
    await release({
      root,
      version,
      out: values.out ?? `${root}dist/release`,
      isDry: values["dry-run"] === true,
      isTagged: values.same === true,
      isBuilt: values["skip-build"] === true,
      hasImage: values["no-image"] !== true,
      today: new Date().toISOString().slice(0, 10),
      log: (line) => console.log(line),
    });
} catch (error) {
  console.error(messageOfError(error));
  process.exitCode = 1;
}
