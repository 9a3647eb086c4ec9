// Two services never share a data folder, and a killed one leaves no lock; a secret that was lost is not replaced.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { localCertificate } from "../../scripts/local/certificate.ts";
import { lockFolder } from "../../scripts/local/folder-lock.ts";
import { keepPrivate } from "../../scripts/local/private-file.ts";
import { Refusal } from "../../scripts/local/refusal.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sandbar-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A process of its own that has the lock. */
async function holder() {
  const module = resolve(import.meta.dirname, "../../scripts/local/folder-lock.ts");
  const script = `const { lockFolder } = await import(${JSON.stringify(module)});
    lockFolder(process.argv[1]);
    console.log("locked");
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((done) => child.once("exit", done));
  await new Promise<void>((done, fail) => {
    child.stdout.once("data", () => done());
    child.once("exit", () => fail(new Error("it could not lock")));
  });
  return {
    pid: child.pid,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

function refusalOf(body: () => unknown): string {
  try {
    body();
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    const message = error instanceof Refusal ? error.message : "";
    expect(message).not.toContain("\n");
    return message;
  }
  throw new Error("it was not refused");
}

test("a folder in use by another process is refused with its pid, and available after that process is killed", async () => {
  const { pid, kill } = await holder();
  try {
    expect(refusalOf(() => lockFolder(folder))).toBe(
      `The data folder ${folder} is in use by process ${pid}: stop it, or set SANDBAR_DATA to another.`,
    );
  } finally {
    await kill();
  }
  lockFolder(folder);
  expect(readFileSync(join(folder, "pid"), "utf8")).toBe(`${process.pid}\n`);
});

test.each(["", "\n", "  \n"])("an empty secret (%j) is refused and not changed", (text) => {
  const path = join(folder, "secret");
  writeFileSync(path, text);
  expect(refusalOf(() => keepPrivate(path, () => "another"))).toBe(
    `The file ${path} is empty: put back what was in it, or remove the whole data folder to start anew.`,
  );
  expect(readFileSync(path, "utf8")).toBe(text);
});

test.each(["ca.crt", "ca.key"])("an authority without its %s is not replaced", (name) => {
  const tls = join(folder, "tls");
  const nowMs = Date.UTC(2026, 0, 1);
  const { ca } = localCertificate(tls, nowMs);
  writeFileSync(join(tls, name), "");
  // The server's own can be made again, which takes the authority.
  rmSync(join(tls, "server.crt"));
  expect(refusalOf(() => localCertificate(tls, nowMs))).toContain(join(tls, name));
  writeFileSync(join(tls, "ca.crt"), ca);
  rmSync(join(tls, "ca.key"));
  expect(refusalOf(() => localCertificate(tls, nowMs))).toContain(join(tls, "ca.key"));
});
