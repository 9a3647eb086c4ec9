// A lesson's folder as one file, and a lesson as a folder: what is written is read again, and damaged archives are refused.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readLessonFolder } from "../../shared/lesson/read-folder.ts";
import { writeLessonFolder } from "../../shared/lesson/write-folder.ts";
import { archiveBounds, readArchive, writeZip } from "../../web/learn/author/archive.ts";

const lessons = resolve(import.meta.dirname, "../../lessons");
const files = new Map([
  ["lesson.yaml", "name: a\ntitle: Ä\n"],
  ["pages/1.md", "# One\n"],
]);

function folderOf(name: string): Map<string, string> {
  const folder = join(lessons, name);
  return new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

function bytesOf(buffer: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}

describe("an archive of a lesson", () => {
  test("M5: as ZIP is read again as it was written", async () => {
    expect(await readArchive(writeZip(files))).toEqual(files);
  });

  test("M5: as TAR, also compressed and within a folder, is read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lesson-"));
    try {
      execFileSync("tar", ["-cf", join(folder, "a.tar"), "-C", lessons, "first-pod"]);
      const tar = readFileSync(join(folder, "a.tar"));
      expect(await readArchive(bytesOf(tar))).toEqual(folderOf("first-pod"));
      expect(await readArchive(bytesOf(gzipSync(tar)))).toEqual(folderOf("first-pod"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("M5: as ZIP of another program is read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lesson-"));
    try {
      const script =
        "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\nfor f in sys.argv[2:]: z.write(f, 'first-pod/' + f)";
      const names = readdirSync(join(lessons, "first-pod"));
      execFileSync("python3", ["-c", script, join(folder, "a.zip"), ...names], { cwd: join(lessons, "first-pod") });
      expect(await readArchive(bytesOf(readFileSync(join(folder, "a.zip"))))).toEqual(folderOf("first-pod"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    ["a text", new TextEncoder().encode("name: a")],
    ["nothing", new Uint8Array()],
    ["half a ZIP", writeZip(files).slice(0, 60)],
    ["a ZIP without its first half", writeZip(files).slice(40)],
  ])("M5: %s is refused with a sentence", async (_, bytes) => {
    await expect(readArchive(bytesOf(bytes))).rejects.toThrow(/is no ZIP, TAR|is no path/);
  });

  test("M5: paths that leave the folder, binary files, and bombs are refused", async () => {
    await expect(readArchive(writeZip(new Map([["../a.md", "x"]])))).rejects.toThrow("is no path within the folder");
    const binary = writeZip(new Map([["a.md", "xyz"]]));
    binary[34] = 0xff;
    await expect(readArchive(binary)).rejects.toThrow("a.md is no text");
    const bomb = gzipSync(new Uint8Array(archiveBounds.bytes + 1));
    await expect(readArchive(bytesOf(bomb))).rejects.toThrow("larger than a lesson may be");
    const many = new Map(Array.from({ length: archiveBounds.files + 1 }, (_, at) => [`${at}.md`, "x"]));
    await expect(readArchive(writeZip(many))).rejects.toThrow(`more than ${archiveBounds.files} files`);
  });
});

describe("a lesson written as a folder", () => {
  test.each(readdirSync(lessons))("M5: %s is the same lesson when it is read again", (name) => {
    const read = readLessonFolder(folderOf(name));
    if (!("lesson" in read)) throw new Error(read.problems[0]?.message);
    expect(readLessonFolder(writeLessonFolder(read.lesson))).toEqual(read);
  });
});
