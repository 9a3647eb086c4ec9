// `npm start`, on the Node that `npm ci` brought.
const { enableCompileCache } = require("node:module");
const { join } = require("node:path");
const { inOwnNode } = require("./local/own-node.cjs");

const modules = join(__dirname, "..", "node_modules");

inOwnNode({
  begin: () => {
    // Without it, each start compiles Miniflare and strips the types of the scripts again.
    enableCompileCache(join(modules, ".cache", "compile"));
    return import("./local/main.ts");
  },
  node: join(modules, ".bin", "node"),
  file: __filename,
  missing: "Run `npm ci` first: the Node that Sandbar runs on is not there.",
});
