// Commands of servers and package managers.
import { expect, test } from "vitest";
import { type ProgramWorld, runProgram } from "./program-run.ts";

const broken = { "/etc/nginx/nginx.conf": "http { server { location ~ ( { } } }" };
const start = {
  "/package.json": '{"name":"app","version":"2.0.0","scripts":{"start":"node app.js"}}',
  "/app.js": "console.log(1)",
};

test.each<[command: string, expected: string, exit: number, given: ProgramWorld]>([
  [
    "nginx -t",
    "nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\nnginx: configuration file /etc/nginx/nginx.conf test is successful\n",
    0,
    {},
  ],
  ["nginx -s reload", "2026/01/01 00:00:00 [notice] 33#33: signal process started\n", 0, {}],
  ["nginx -v", "nginx version: nginx/1.27.1\n", 0, { image: "nginx:1.27.1" }],
  ["ruby app.rb", "ruby: not simulated in this sandbox\n", 127, {}],
  ["php app.php", "php: not simulated in this sandbox\n", 127, {}],
  ["npm start", "\n> app@2.0.0 start\n> node app.js\n\n1\n", 0, { files: start }],
  ["npm run nope", 'npm error Missing script: "nope"\n', 1, { files: start }],
  ["pip install flask && python3 -c 'import flask'", "Successfully installed flask\n", 0, { image: "python:3.13" }],
  [
    "npm install express && node -p 'typeof require(\"express\")'",
    "\nadded 1 packages in 1s\nfunction\n",
    0,
    { image: "node:24" },
  ],
  [
    "sqlite3 /a.db 'create table t (a); insert into t values (1), (2)' && sqlite3 -header /a.db 'select sum(a) as s from t'",
    "s\n3\n",
    0,
    {},
  ],
  ["sqlite3 /a.db 'select * from nope'", "Error: in prepare, no such table: nope\n", 1, {}],
])("%s", (command, expected, exit, world) => {
  const done = runProgram(["sh", "-c", command], world);
  expect([done.out + done.err, done.exit]).toEqual([expected, exit]);
});

test("nginx -t rejects a wrong configuration", () => {
  const done = runProgram(["nginx", "-t"], { files: broken });
  expect(done.exit).toBe(1);
  expect(done.err).toMatch(
    /^nginx: \[emerg\] pcre2_compile\(\) failed: .*\nnginx: configuration file \/etc\/nginx\/nginx\.conf test failed\n$/,
  );
});
