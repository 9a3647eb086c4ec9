// `npm start`. Plain JavaScript that even an old Node reads, so that it can say what is wrong.
const major = Number(process.versions.node.split(".")[0]);
if (major < 20) {
  console.error(`Sandbar needs Node 20 or later to install and brings its own to run; this is ${process.version}.`);
  process.exit(1);
}
if (major < 24) {
  // Called without npm: on with the Node that `npm ci` brought.
  const { join } = require("node:path");
  const bundled = join(__dirname, "..", "node_modules", ".bin", "node");
  const child = require("node:child_process").spawn(bundled, process.argv.slice(1), { stdio: "inherit" });
  child.on("error", () => {
    console.error("Run `npm ci` first: the Node that Sandbar runs on is not there.");
    process.exit(1);
  });
  child.on("exit", (code) => process.exit(code === null ? 1 : code));
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
} else {
  import("./local/main.ts");
}
