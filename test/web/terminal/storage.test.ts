// Tests of the state that a terminal stores in the browser, and of the commands that a read-only terminal refuses.
import { describe, expect, test } from "vitest";
import type { ClusterConnection } from "../../../web/kubectl/surroundings.ts";
import { readOnly } from "../../../web/terminal/read-only.ts";
import { openStore } from "../../../web/terminal/storage.ts";

/** A browser's storage that has room for so many characters. */
class FakeStorage implements Storage {
  readonly #entries = new Map<string, string>();
  readonly #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  get length(): number {
    return this.#entries.size;
  }

  key(at: number): string | null {
    return [...this.#entries.keys()][at] ?? null;
  }

  getItem(key: string): string | null {
    return this.#entries.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    let size = value.length;
    for (const [otherKey, text] of this.#entries) if (otherKey !== key) size += text.length;
    if (size > this.#room) throw new Error("QuotaExceededError");
    this.#entries.set(key, value);
  }

  removeItem(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}

describe("K7: the terminal's storage", () => {
  test("K7: restores files, history and namespace of the same sandbox only", () => {
    const storage = new FakeStorage(5_000_000);
    const first = openStore("one", storage, () => 1);
    first.files.write("/home/user/x.yaml", "a: b\n");
    first.files.write("/tmp/gone", "");
    first.keepHistory(["ls"]);
    first.keepNamespace("shop");
    const again = openStore("one", storage, () => 2);
    expect(again.files.read("/home/user/x.yaml")).toBe("a: b\n");
    expect(again.files.read("/tmp/gone")).toBeUndefined();
    expect(again.files.list("/tmp")).toEqual([]);
    expect([again.history, again.namespace]).toEqual([["ls"], "shop"]);
    expect(openStore("two", storage, () => 3).files.list("/home/user")).toEqual([]);
  });

  test("K7: is bounded to 1 MB of files", () => {
    const { files } = openStore("one", new FakeStorage(5_000_000), () => 1);
    files.write("/home/user/a", "x".repeat(900_000));
    expect(() => files.write("/home/user/b", "x".repeat(200_000))).toThrow("no space left on device");
    expect(files.read("/home/user/b")).toBeUndefined();
  });

  test("K7: is bounded to 1000 files", () => {
    const { files } = openStore("one", new FakeStorage(5_000_000), () => 1);
    let count = 0;
    expect(() => {
      for (; count < 2000; count++) files.write(`/home/user/${count}`, "x");
    }).toThrow("no space left on device");
    // A new store has a few files of its own.
    expect([count > 990, count <= 1000]).toEqual([true, true]);
    files.write("/home/user/0", "changed");
    expect(files.read("/home/user/0")).toBe("changed");
  });

  test("K7: drops the least recently used sandbox if the browser's storage is full", () => {
    const storage = new FakeStorage(1000);
    let now = 0;
    for (const name of ["old", "new"]) {
      now++;
      openStore(name, storage, () => now).files.write("/home/user/a", "x".repeat(300));
    }
    now++;
    openStore("third", storage, () => now).files.write("/home/user/a", "x".repeat(300));
    expect(openStore("old", storage, () => now).files.read("/home/user/a")).toBeUndefined();
    expect(openStore("new", storage, () => now).files.read("/home/user/a")).toHaveLength(300);
    expect(() => openStore("fourth", storage, () => now).files.write("/home/user/a", "x".repeat(2000))).toThrow(
      "no space left",
    );
  });

  test("K7: starts empty without storage, or with foreign data", () => {
    const store = openStore("one", undefined, () => 1);
    store.files.write("/home/user/a", "x");
    expect(store.files.read("/home/user/a")).toBe("x");
    const storage = new FakeStorage(1000);
    storage.setItem("sandbar.terminal.one", "no JSON");
    expect(openStore("one", storage, () => 1).files.list("/home/user")).toEqual([]);
  });
});

describe("K7: a read-only terminal", () => {
  const requests: string[] = [];
  const connection: ClusterConnection = {
    name: "c",
    server: "https://c",
    fetch: (path, init) => {
      requests.push(`${init.method ?? "GET"} ${path}`);
      return Promise.resolve(new Response("{}"));
    },
    socket: () => {
      throw new Error("opened");
    },
  };

  test.for([
    ["GET", "/api/v1/pods", 200],
    ["POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 200],
    ["GET", "/api/v1/namespaces/default/pods/x/log", 200],
    ["GET", "/api/v1/namespaces/default/pods/x/exec?command=sh", 403],
    ["GET", "/api/v1/namespaces/default/pods/x:80/proxy/", 403],
    ["POST", "/api/v1/namespaces/default/pods", 403],
    ["DELETE", "/api/v1/namespaces/default/pods/x", 403],
    ["patch", "/api/v1/namespaces/default/pods/x", 403],
  ] as const)("K7: answers %s %s with %i", async ([method, path, code]) => {
    requests.length = 0;
    const answer = await readOnly(connection).fetch(path, { method });
    expect([answer.status, requests.length]).toEqual([code, code === 200 ? 1 : 0]);
  });

  test("K7: cannot enter a container", async () => {
    const socket = readOnly(connection).socket("/api/v1/namespaces/default/pods/x/exec", []);
    const reason = await new Promise((done) => socket.addEventListener("close", (event) => done(event.reason)));
    expect(reason).toContain("read-only");
  });
});
