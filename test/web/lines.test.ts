// Lines for a shell: a shell reads each word as it was meant.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlText, sandbarText } from "../../web/api/line-texts.ts";

const usual = "http://localhost:8787";

/** The words as a shell has them. */
function words(line: string): string[] {
  const text = execFileSync("/bin/sh", ["-c", `for word in ${line}; do printf '%s\\0' "$word"; done`], {
    env: { SANDBAR_API_KEY: "key" },
  });
  return text.toString().split("\0").slice(0, -1);
}

test("Z5: a given option is one shell word for any text, and a missing option is omitted", () => {
  const hostile = `it's "$HOME"; \`id\` $(id) \\ *`;
  const line = sandbarText(usual, ["create", "--name", hostile, undefined, false, "", 3]);
  expect(words(line)).toEqual(["sandbar", "create", "--name", hostile, "3"]);
});

test("Z5: a server other than the command line's default is named", () => {
  expect(sandbarText(usual, ["list"])).toBe("sandbar list");
  const otherOrigin = "https://sandbar.example.org";
  expect(sandbarText(otherOrigin, ["list"])).toBe(`sandbar list --server ${otherOrigin}`);
});

test("Z5: curl sends the key from a variable, and the body unchanged", () => {
  const body = { name: "it's", url: "https://a?b=c&d" };
  const request = { method: "PATCH", path: "/v1/webhooks/a b", body, key: "SANDBAR_API_KEY" };
  expect(words(curlText(usual, request))).toEqual([
    ...["curl", "-X", "PATCH", "http://localhost:8787/v1/webhooks/a b", "-H", "Authorization: Bearer key"],
    ...["-H", "Content-Type: application/json", "-d", JSON.stringify(body)],
  ]);
  expect(curlText(usual, { method: "GET", path: "/metrics", key: "SANDBAR_OPERATOR_KEY" })).toBe(
    'curl http://localhost:8787/metrics \\\n  -H "Authorization: Bearer $SANDBAR_OPERATOR_KEY"',
  );
  expect(curlText(usual, { method: "DELETE", path: "/v1/me" })).toBe(
    `curl -X DELETE ${usual}/v1/me \\\n  -b "$SANDBAR_COOKIE" -H 'Origin: ${usual}'`,
  );
});
