// `npm start`, on the Node that `npm ci` brought.
const { join } = require("node:path");
const { inOwnNode } = require("./local/own-node.cjs");

inOwnNode({
  begin: () => import("./local/main.ts"),
  node: join(__dirname, "..", "node_modules", ".bin", "node"),
  file: __filename,
  missing: "Run `npm ci` first: the Node that Sandbar runs on is not there.",
});
