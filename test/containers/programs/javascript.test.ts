// Node.js programs: execution, output and exit codes.
import { describe, expect, test } from "vitest";
import { answers, type ProgramWorld, runProgram, startMs, visitor } from "./program-run.ts";

const node = (code: string, world: ProgramWorld = {}) =>
  runProgram(["node", "/app.js"], { ...world, files: { "/app.js": code, ...world.files } });

type Row = readonly [code: string, expected: string, given?: ProgramWorld];

function table(rows: readonly Row[]) {
  return rows.map(([code, expected, world]) => ({ code, expected, ...(world ? { world } : {}) }));
}

describe("Node.js", () => {
  test.each<{ readonly code: string; readonly expected: string; readonly world?: ProgramWorld }>(
    table([
      [
        "console.log('a', 1, { b: [1, 'x', null], c: { d: { e: { f: 1 } } } })",
        "a 1 { b: [ 1, 'x', null ], c: { d: { e: [Object] } } }\n",
      ],
      [
        "console.log('%s is %d', 'x', 3, new Map([['a', 1]]), [undefined], () => 1, class A {})",
        "x is 3 Map(1) { 'a' => 1 } [ undefined ] [Function (anonymous)] [class A]\n",
      ],
      [
        "console.log(process.env.A, process.argv.length, process.version)",
        "x 2 v24.11.1\n",
        { environment: { A: "x" } },
      ],
      [
        "setTimeout(() => console.log('later'), 2000); Promise.resolve().then(() => console.log('soon')); console.log('now')",
        "now\nsoon\nlater\n",
      ],
      [
        "const fs = require('fs'); fs.mkdirSync('/d/e', { recursive: true }); fs.writeFileSync('/d/e/f', 'one\\n'); fs.appendFileSync('/d/e/f', 'two\\n'); console.log(fs.readFileSync('/d/e/f', 'utf8'), fs.existsSync('/nope'), fs.readdirSync('/d/e'))",
        "one\ntwo\n false [ 'f' ]\n",
      ],
      [
        "const { twice } = require('./lib'); console.log(twice(4), require('./data.json').a)",
        "8 1\n",
        { files: { "/lib.js": "exports.twice = (n) => 2 * n;", "/data.json": '{"a":1}' } },
      ],
      [
        "console.log(require('child_process').execSync('echo hi').toString(), require('os').hostname())",
        "hi\n pod-1\n",
      ],
      ["console.log(new Date().toISOString(), Date.now())", `2026-01-01T00:00:00.000Z ${startMs}\n`],
      [
        "const crypto = require('crypto'); console.log(crypto.createHash('sha256').update('a').digest('hex').slice(0, 8), Buffer.from('hi').toString('base64'))",
        "ca978112 aGk=\n",
      ],
      [
        "process.stdin.on('data', (d) => console.log(String(d).trim())); process.stdin.on('end', () => console.log('end'))",
        "a\nb\nend\n",
        { input: "a\nb\n" },
      ],
    ]),
  )("runs $code", ({ code, expected, world }) => {
    expect(node(code, world)).toMatchObject({ out: expected, err: "", exit: 0 });
  });

  test("runs modules and code on its command line", () => {
    const code =
      "import fs from 'node:fs';\nimport { join } from 'path';\nconst n = await Promise.resolve(3);\nconsole.log(join('/a', 'b'), n, fs.existsSync('/app.mjs'));\n";
    expect(runProgram(["node", "app.mjs"], { files: { "/app.mjs": code } })).toMatchObject({
      out: "/a/b 3 true\n",
      exit: 0,
    });
    expect(runProgram(["node", "-e", "console.log(1 + 1)"])).toMatchObject({ out: "2\n" });
    expect(runProgram(["node", "-p", "[1, 2].map(String)"])).toMatchObject({ out: "[ '1', '2' ]\n" });
    expect(runProgram(["node", "--version"])).toMatchObject({ out: "v24.11.1\n" });
  });

  test.each<readonly [code: string, exit: number, err: string]>([
    ["process.exit(3)", 3, ""],
    ["process.exitCode = 4", 4, ""],
    [
      "\nfunction f() {\n  throw new Error('boom');\n}\nf();",
      1,
      "/app.js:3\n  throw new Error('boom');\n  ^\n\nError: boom\n    at f (/app.js:3:18)\n",
    ],
    ["require('./nope')", 1, "Error: Cannot find module './nope'\nRequire stack:\n- /app.js"],
    [
      "async function main() {\n  await new Promise((r) => setTimeout(r, 1000));\n  throw new Error('late');\n}\nmain();\n",
      1,
      "Error: late\n    at main (/app.js:3:18)",
    ],
    ["let x = ;", 1, "SyntaxError: "],
    ["setTimeout(() => { undefined.x }, 10)", 1, "TypeError: cannot read property 'x' of undefined"],
  ])("exits %j with %d", (code, exit, err) => {
    const done = node(code);
    expect(done.exit).toBe(exit);
    expect(done.err).toContain(err);
    if (err !== "") expect(done.err).toMatch(/\n\nNode\.js v24\.11\.1\n$/);
  });

  test("reports a missing program in the real program's words", () => {
    const done = runProgram(["node", "server.js"]);
    expect(done.exit).toBe(1);
    expect(done.err).toMatch(
      /^node:internal\/modules\/cjs\/loader:\d+\n {2}throw err;\n {2}\^\n\nError: Cannot find module '\/server\.js'\n/,
    );
    expect(done.err).toContain("code: 'MODULE_NOT_FOUND',");
  });

  test("stops an endless program at its work limit, and kills one that takes too much memory", () => {
    expect(node("while (true);")).toMatchObject({ exit: "runs", run: { isSpent: true } });
    expect(node("[].indexOf.call({ length: 2 ** 53 - 1 }, 1)")).toMatchObject({ exit: "runs", run: { isSpent: true } });
    expect(node("/(a*)*b/.test('a'.repeat(40))")).toMatchObject({ exit: "runs", run: { isSpent: true } });
    expect(node("new Uint8Array(30_000_000)")).toMatchObject({ exit: "oom" });
  });
});

describe("a Node.js server", () => {
  const counting = `
const http = require("http");
let count = 0;
const server = http.createServer((request, response) => {
  count++;
  let body = "";
  request.on("data", (part) => (body += part));
  request.on("end", () => response.writeHead(count > 1 ? 201 : 200).end(count + " " + request.method + body));
});
server.listen(8080, () => console.log("listens at", server.address().port));
process.on("SIGTERM", () => server.close(() => process.exit(0)));
`;

  test("answers each request with its own code, keeps its state, and exits when a request ends it", () => {
    const outside = [visitor(1, "/"), visitor(2, "/", { method: "POST", body: "{}" })];
    const done = node(counting, { outside, termMs: startMs + 9000 });
    expect(answers(done)).toEqual([
      [200, "1 GET"],
      [201, "2 POST{}"],
    ]);
    expect(done).toMatchObject({ out: "listens at 8080\n", exit: 0, seconds: 9 });
  });

  test("serves Express routes if the package is installed", () => {
    const app = `
const express = require("express");
const app = express();
app.use(express.json());
app.get("/users/:id", (request, response) => response.json({ id: request.params.id, q: request.query.q }));
app.post("/items", (request, response) => response.status(201).send(request.body.name));
app.get("/bad", () => { throw new Error("bad"); });
app.listen(8080);
`;
    const outside = [
      visitor(1, "/users/7?q=x"),
      visitor(2, "/items", { method: "POST", body: '{"name":"n"}' }),
      visitor(3, "/nope"),
      visitor(4, "/bad"),
    ];
    expect(answers(node(app, { outside })).slice(0, 2)).toEqual([
      [200, '{"id":"7","q":"x"}'],
      [201, "n"],
    ]);
    expect(answers(node(app, { outside })).map(([status]) => status)).toEqual([200, 201, 404, 500]);
    expect(node(app, { image: "node:24" }).err).toContain("Cannot find module 'express'");
  });

  test("exits when a handler throws", () => {
    const done = node('require("http").createServer(() => { throw new Error("x"); }).listen(8080);', {
      outside: [visitor(5, "/")],
    });
    expect(done).toMatchObject({ exit: 1, seconds: 5 });
  });
});
