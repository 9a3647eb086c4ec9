// The settings of a sandbox, as its object keeps them.
import { expect, test } from "vitest";
import { nothingLeft } from "../../shared/base/assert.ts";
import type { SandboxSettings } from "../../shared/contract/sandbox-settings.ts";
import { readSettings, suspensionIn, writeSettings, writeStanding } from "../../worker/cluster/settings/settings.ts";
import { createTables, writeMeta } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

const settings: SandboxSettings = {
  admissionPlugins: ["NodeRestriction", "AlwaysPullImages"],
  anonymousAccess: true,
  oidcIssuers: [
    {
      issuerUrl: "https://issuer.example.org",
      audiences: ["kubernetes"],
      usernameClaim: "sub",
      groupsPrefix: "",
      requiredClaims: {},
    },
  ],
  jwtAuthenticators: [],
  controllerDelayMs: 10,
  images: "any",
  version: "1.36",
  expiresAtMs: 1_700_000_000_000,
  limits: { objects: 7 },
};

function tables(rows: Readonly<Record<string, string>> = {}) {
  const sql = nodeSql();
  createTables(sql);
  for (const [key, value] of Object.entries(rows)) writeMeta(sql, key, value);
  return sql;
}

test("A12: settings are read as they were written", () => {
  const sql = tables();
  writeSettings(sql, settings);
  expect(readSettings(sql)).toEqual(settings);
});

test("J10: a suspension and a pause are stored apart, and the suspension is the reason while it lasts", () => {
  const sql = tables();
  writeSettings(sql, settings);
  const write = (standing: { suspended: string; paused?: string }) =>
    suspensionIn(writeStanding(sql, { ...standing, limits: { objects: 8 } }));
  expect(write({ suspended: "", paused: "pause" })).toBe("pause");
  expect(write({ suspended: "bill" })).toBe("bill");
  expect(write({ suspended: "" })).toBe("pause");
  expect(readSettings(sql)).toEqual({ ...settings, suspended: "", paused: "pause", limits: { objects: 8 } });
  expect(write({ suspended: "", paused: "" })).toBe("");
});

test("A12: a cluster with one row for each setting is opened with these settings", () => {
  const sql = tables({
    name: "course-1",
    expiresAtMs: "1700000000000",
    admissionPlugins: "NodeRestriction,AlwaysPullImages",
    anonymousAccess: "true",
    oidcIssuers: JSON.stringify(settings.oidcIssuers),
    limits: '{"objects":7}',
  });
  expect(readSettings(sql)).toEqual(settings);
});

test("A12: settings that an old version did not write get their defaults, and images the default of that time", () => {
  const { oidcIssuers: _issuers, limits: _limits, ...rest } = settings;
  const defaults = { ...rest, admissionPlugins: [], anonymousAccess: false, oidcIssuers: [] };
  expect(readSettings(tables({ expiresAtMs: "1700000000000", admissionPlugins: "" }))).toEqual(defaults);
  const row = JSON.stringify({ expiresAtMs: 1_700_000_000_000, surprise: 1 });
  expect(readSettings(tables({ settings: row }))).toEqual(defaults);
});

test("A12: an unused field does not compile", () => {
  const { expiresAtMs, ...rest } = { expiresAtMs: 1, surprise: true };
  // @ts-expect-error nobody uses `surprise`
  nothingLeft(rest);
  const { surprise, ...none } = rest;
  nothingLeft(none);
  expect([expiresAtMs, surprise]).toEqual([1, true]);
});
