// tar in simulated containers, as `kubectl cp` calls it.
import { describe, expect, test } from "vitest";
import { bytesOfText, textOfBytes } from "../../shared/base/byte-text.ts";
import { type Edit, newFiles } from "../../worker/containers/shell/files.ts";
import { programs } from "../../worker/containers/shell/programs.ts";
import { readArchive, writeArchive } from "../../worker/containers/shell/programs/copying/tar-archive.ts";
import { trace } from "../../worker/containers/shell/trace.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");
const binary = Uint8Array.from({ length: 700 }, (_, at) => (at * 7) % 256);
const programNames = new Set(programs.keys());

function run(words: readonly string[], input = "", readOnly: readonly string[] = []) {
  const files = newFiles();
  files.set("/tmp/d/sub/b", { text: textOfBytes(binary), mode: 0o600, changedMs: startMs });
  files.set("/tmp/d/a.txt", { text: "hi\n", mode: 0o644, changedMs: startMs });
  const mounts = readOnly.map((path) => ({ path, type: "ext4", readOnly: true, name: "", below: "" }) as const);
  const options = { files, input, mounts, programs: programNames, startMs, untilMs: startMs + 1000, prints: true };
  const { chunks, edits, end } = trace({ words, ...options });
  const text = (stream: string) =>
    chunks
      .filter((chunk) => chunk.stream === stream)
      .map((chunk) => chunk.text)
      .join("");
  return { out: text("stdout"), err: text("stderr"), edits, code: end?.exitCode };
}

function archive(): string {
  return textOfBytes(
    writeArchive([
      { name: "d", mode: 0o755, changedMs: 0, bytes: undefined },
      { name: `d/${"long/".repeat(30)}name`, mode: 0o640, changedMs: 5000, bytes: binary },
    ]),
  );
}

describe("tar", () => {
  test("packs a folder's contents byte for byte, without the leading slash", () => {
    const { out, err, code } = run(["tar", "cf", "-", "/tmp/d"]);
    expect([code, err]).toEqual([0, "tar: Removing leading `/' from member names\n"]);
    const bytes = bytesOfText(out);
    expect(bytes.length % 10_240).toBe(0);
    expect(readArchive(bytes)).toEqual([
      { name: "tmp/d", mode: 0o755, changedMs: 0, bytes: undefined },
      { name: "tmp/d/a.txt", mode: 0o644, changedMs: startMs, bytes: new TextEncoder().encode("hi\n") },
      { name: "tmp/d/sub", mode: 0o755, changedMs: 0, bytes: undefined },
      { name: "tmp/d/sub/b", mode: 0o600, changedMs: startMs, bytes: binary },
    ]);
  });

  test("unpacks into the named folder, with modes and long names", () => {
    const { edits, code } = run(["tar", "-xmf", "-", "-C", "/tmp"], archive());
    expect(code).toBe(0);
    expect(edits.map(({ path, mode, text }: Edit) => [path, mode, text && bytesOfText(text)])).toEqual([
      [`/tmp/d/${"long/".repeat(30)}name`, 0o640, binary],
    ]);
    const plain = ["tar", "--no-same-permissions", "--no-same-owner", "-xmf", "-", "-C", "/tmp"];
    expect(run(plain, archive()).edits).toHaveLength(1);
  });

  test("sends the rest of an archive from where a broken copy ended", () => {
    const archive = bytesOfText(run(["tar", "cf", "-", "/tmp/d"]).out);
    const { out } = run(["sh", "-c", "tar cf - /tmp/d | tail -c+1001"]);
    expect(bytesOfText(out)).toEqual(archive.slice(1000));
  });

  test("reports missing files, and refuses paths outside the folder, read-only mounts and a full disk", () => {
    const missing = run(["tar", "cf", "-", "/nope"]);
    expect([missing.code, missing.err]).toEqual([
      2,
      "tar: /nope: Cannot stat: No such file or directory\ntar: Exiting with failure status due to previous errors\n",
    ]);
    const file = (name: string, bytes = binary) =>
      textOfBytes(writeArchive([{ name, mode: 0o644, changedMs: 0, bytes }]));
    const unpack = (text: string, readOnly: string[] = []) => run(["tar", "xmf", "-", "-C", "/tmp/d"], text, readOnly);
    expect(unpack(file("../../etc/passwd")).edits[0]?.path).toBe("/tmp/d/etc/passwd");
    expect(unpack(file("x"), ["/tmp/d"]).err).toContain("tar: x: Cannot open: Read-only file system\n");
    expect(unpack(file("x", new Uint8Array(800_000)))).toMatchObject({ code: 2, edits: [] });
    expect(unpack("no archive".repeat(100)).err).toContain("This does not look like a tar archive");
  });
});
