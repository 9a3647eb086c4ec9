// Image definitions of a sandbox in the control API: problems by field, and bounds.
import { describe, expect, test } from "vitest";
import {
  knownPackage,
  npmPackages,
  pipPackages,
  programsOfPackage,
} from "../../shared/contract/cluster/image/packages.ts";
import { issuesWithin, sentenceOf } from "../../shared/contract/issue-sentence.ts";
import { createSandbox } from "../../shared/contract/sandbox.ts";
import { programs } from "../../worker/containers/shell/programs.ts";
import { knownNodePackages } from "../../worker/containers/wasm/javascript-library/library.ts";
import { knownPackages, packageNames } from "../../worker/containers/wasm/python-library/library.ts";

function problems(...images: readonly unknown[]): string[] {
  const { error } = createSandbox.safeParse({ images }, { error: sentenceOf });
  return (error?.issues ?? []).flatMap(issuesWithin).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

const image = (more: object) => ({ name: "shop:v1", ...more });
const letters = (count: number) => "a".repeat(count);
const list = <T>(count: number, item: (at: number) => T) => Array.from({ length: count }, (_, at) => item(at));
const record = (count: number, key: (at: number) => string, value: unknown) =>
  Object.fromEntries(list(count, (at) => [key(at), value]));
const ports = (at: number) => at + 1;
const response = (more: object = {}) => ({ path: "/", ...more });

describe("problems of image definitions", () => {
  test.each<readonly [image: object, problem: string]>([
    [{ name: "Shop" }, "images.0.name: must be the name of an image, such as registry.example.com/shop:v1"],
    [{ name: "shop@sha256:00" }, "images.0.name: must be the name of an image, such as registry.example.com/shop:v1"],
    [image({ from: "python:" }), "images.0.from: must be the name of an image, such as registry.example.com/shop:v1"],
    [image({ pip: ["gunicorn"] }), `images.0.pip.0: must be one of ${pipPackages.join(", ")}`],
    [image({ file: {} }), "images.0: is not a field of this request"],
    [
      image({ files: { "app.py": "" } }),
      "images.0.files.app.py: has a name that is not valid: it must be an absolute path",
    ],
    [
      image({ files: { "/a/../b": "" } }),
      "images.0.files./a/../b: has a name that is not valid: it must have no empty part, and no . or .. among its parts",
    ],
    [
      image({ files: { "/proc/1": "" } }),
      "images.0.files./proc/1: has a name that is not valid: it must not be in /proc, /sys or /dev",
    ],
    [image({ files: { "/a": 5 } }), "images.0.files./a: must be a text, or an object with text, base64 or link"],
    [image({ files: { "/a": { mode: "rwx" } } }), "images.0.files./a.mode: must be octal digits such as 0755"],
    [
      image({ files: { "/a": { text: "", base64: "" } } }),
      "images.0.files./a: must have only one of text, base64 and link",
    ],
    [
      image({ files: { "/a": { owner: "app" } } }),
      'images.0.files./a.owner: there is no user "app": add it to users, or give its number',
    ],
    [image({ files: { "/a": "", "/a/b": "" } }), "images.0.files./a/b: is below /a, which is no folder"],
    [image({ user: "app" }), 'images.0.user: there is no user "app": add it to users, or give its number'],
    [image({ ports: ["http"] }), "images.0.ports.0: must be a port such as 8080 or 53/udp"],
    [image({ env: { "A-B": "" } }), "images.0.env.A-B: has a name that is not valid"],
    [
      image({ responses: [response()], command: ["a"] }),
      "images.0.responses: cannot be given beside command or entrypoint: the image runs one program",
    ],
    [image({ responses: [response({ failureShare: 1.5 })] }), "images.0.responses.0.failureShare: must be at most 1"],
    [
      image({ responses: [response({ path: "items" })] }),
      "images.0.responses.0.path: must begin with a slash, and may end with *",
    ],
    [
      image({ responses: [response({ headers: { a: "b\r\nc: d" } })] }),
      "images.0.responses.0.headers.a: must be one line",
    ],
  ])("are reported for %j", (definition, problem) => {
    expect(problems(definition)).toEqual([problem]);
  });

  test("include duplicate names, and an image before its base image", () => {
    expect(problems(image({}), { name: "shop", tags: ["v1"] })).toEqual(["images.1.name: shop:v1 is defined twice"]);
    expect(problems(image({ from: "base:1" }), { name: "base:1" })).toEqual([
      "images.0.from: base:1 must stand before the images that are built on it",
    ]);
  });

  test("exclude users of the base image", () => {
    const base = { name: "base:1", users: [{ name: "app", uid: 1000 }] };
    expect(problems(base, image({ from: "base:1", user: "app" }))).toEqual([]);
  });
});

describe("bounds of image definitions", () => {
  test.each<readonly [place: string, bound: number, image: (count: number) => object]>([
    ["images.0.name", 255, (count) => ({ name: letters(count) })],
    ["images.0.tags", 20, (count) => image({ tags: list(count, (at) => `t${at}`) })],
    ["images.0.files", 500, (count) => image({ files: record(count, (at) => `/f${at}`, "") })],
    ["images.0.files./f", 128 * 1024, (count) => image({ files: { "/f": letters(count) } })],
    ["images.0.files", 1024, (count) => image({ files: { [`/${letters(count - 1)}`]: "" } })],
    ["images.0.files", 32, (count) => image({ files: { [list(count, () => "/a").join("")]: "" } })],
    ["images.0.env", 100, (count) => image({ env: record(count, (at) => `E${at}`, "") })],
    ["images.0.env.E", 8 * 1024, (count) => image({ env: { E: letters(count) } })],
    ["images.0.command", 100, (count) => image({ command: list(count, () => "a") })],
    ["images.0.users", 20, (count) => image({ users: list(count, (at) => ({ name: `u${at}`, uid: at })) })],
    ["images.0.users.0.uid", 65_535, (uid) => image({ users: [{ name: "u", uid }] })],
    ["images.0.ports", 20, (count) => image({ ports: list(count, ports) })],
    ["images.0.programs", 100, (count) => image({ programs: list(count, (at) => `p${at}`) })],
    ["images.0.responses", 100, (count) => image({ responses: list(count, () => response()) })],
    ["images.0.responses.0.delayMs", 600_000, (delayMs) => image({ responses: [response({ delayMs })] })],
    [
      "images.0.responses.0.headers",
      20,
      (count) => image({ responses: [response({ headers: record(count, (at) => `h${at}`, "") })] }),
    ],
  ])("limit %s to %d", (place, bound, definitionOfSize) => {
    expect(problems(definitionOfSize(bound))).toEqual([]);
    const excessProblems = problems(definitionOfSize(bound + 1));
    expect(excessProblems).toHaveLength(1);
    expect(excessProblems[0]?.startsWith(place)).toBe(true);
  });

  test("limit the images of a list, and their total bytes", () => {
    expect(problems(...list(20, (at) => ({ name: `i:${at}` })))).toEqual([]);
    expect(problems(...list(21, (at) => ({ name: `i:${at}` })))).toEqual(["images: must have at most 20 definitions"]);
    const large = (count: number) => list(count, (at) => ({ name: `i:${at}`, files: { "/a": letters(120 * 1024) } }));
    expect(problems(...large(3))).toEqual([]);
    expect(problems(...large(4))).toEqual(["images: must have at most 393216 bytes of definitions"]);
  });
});

describe("packages of image definitions", () => {
  test("may be libraries of the interpreters", () => {
    expect([...pipPackages].sort()).toEqual(knownPackages.flatMap(packageNames).sort());
    expect([...npmPackages]).toEqual(knownNodePackages.filter((name) => !name.includes("/")));
  });

  test("may be known packages, which bring programs of the simulator", () => {
    const all =
      "curl jq sqlite3 nodejs procps dnsutils iputils-ping netcat-openbsd redis-tools postgresql-client python3";
    const missing = all
      .split(" ")
      .flatMap((name) => (knownPackage(name) ?? [name]).filter((packageName) => !programs.has(packageName)));
    // The simulator knows it, and says that it does not have it.
    expect(missing).toEqual(["watch"]);
    expect(knownPackage("libpq-dev")).toEqual([]);
    expect(knownPackage("cowsay")).toBeUndefined();
    expect(programsOfPackage("cowsay")).toEqual(["cowsay"]);
  });
});
