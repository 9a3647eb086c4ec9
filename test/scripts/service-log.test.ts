// Lines of workerd's output that a local run prints.
import { expect, test } from "vitest";
import { isBrokenOff } from "../../scripts/local/service.ts";

test.each([
  [
    "kj::getCaughtExceptionAsKj() = rust/cxx/kj-rs-io/ffi.rs:159: disconnected: write(): Broken pipe (os error 32)\nstack: a@1",
    true,
  ],
  ["Uncaught Error: disconnected: ", false],
  ['{"level":"error","where":"GET /","error":"x = y: disconnected: z"}', false],
])("a disconnected client is not logged, and other errors are: %j", (message, is) => {
  expect(isBrokenOff(message)).toBe(is);
});
