// The tunnel's command line and its kubeconfig.
import { expect, test } from "vitest";
import { readArguments } from "../../client/tunnel/arguments.ts";
import { targetOf } from "../../client/tunnel/kubeconfig.ts";

test("the command line takes a Service and an https address", () => {
  const words = ["--service", "prod/hook", "--to", "https://localhost:9443/ignored"];
  expect(readArguments(words, { KUBECONFIG: "/k:/l" })).toEqual({
    namespace: "prod",
    name: "hook",
    to: "https://localhost:9443",
    kubeconfig: "/k",
    context: undefined,
  });
  expect(readArguments(["--service", "hook", "--to", "https://h"], {}).namespace).toBe("default");
  expect(() => readArguments(["--service", "a/b/c", "--to", "https://h"], {})).toThrow("--service must be");
  expect(() => readArguments(["--service", "a/b", "--to", "http://h"], {})).toThrow("--to must be an https address");
});

test("a kubeconfig gives the current context's server, authority and token", () => {
  const config = {
    "current-context": "b",
    contexts: [
      { name: "a", context: { cluster: "none", user: "none" } },
      { name: "b", context: { cluster: "c", user: "u" } },
    ],
    clusters: [{ name: "c", cluster: { server: "https://h/c/x/", "certificate-authority-data": btoa("pem") } }],
    users: [{ name: "u", user: { token: "t" } }],
  };
  expect(targetOf(config, "/")).toEqual({ server: "https://h/c/x", token: "t", ca: "pem", insecure: false });
  expect(() => targetOf(config, "/", "a")).toThrow('no cluster "none"');
  expect(() => targetOf({ ...config, users: [{ name: "u", user: {} }] }, "/")).toThrow("no token");
});
