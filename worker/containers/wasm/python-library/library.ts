// The modules in Python's library folder, in addition to those that MicroPython has built in.
import { begin, host, program, repl, sys } from "./begin.ts";
import { datetime, time } from "./times.ts";
import { requests, urllibError, urllibParse, urllibRequest } from "./clients.ts";
import { sqlBase, sqlite } from "./databases.ts";
import { httpServer } from "./http-server.ts";
import { pythonDrivers } from "../../products/drivers.ts";
import { socket, socketserver } from "./sockets.ts";
import * as texts from "./texts.ts";
import { flask } from "./flask.ts";
import { os, osPath, pathlib, shutil, signal, subprocess, threading } from "./system.ts";
import * as small from "./small.ts";

export const libraryFolder = "/usr/local/lib/python3.13";

const modules: Readonly<Record<string, string>> = {
  _begin: begin,
  _host: host,
  _sys: sys,
  _program: program,
  _repl: repl,
  _exits: small.exits,
  argparse: texts.argparse,
  atexit: small.atexit,
  base64: small.base64,
  collections: small.collections,
  contextlib: small.contextlib,
  copy: small.copy,
  datetime,
  functools: small.functools,
  getpass: small.getpass,
  "http/__init__": small.http,
  "http/server": httpServer,
  itertools: small.itertools,
  json: texts.json,
  logging: texts.logging,
  os,
  _ospath: osPath,
  pathlib,
  platform: small.platform,
  random: small.random,
  re: texts.re,
  shutil,
  signal,
  socket,
  socketserver,
  string: small.string,
  subprocess,
  tempfile: small.tempfile,
  textwrap: small.textwrap,
  threading,
  time,
  traceback: small.traceback,
  typing: small.typing,
  _sql: sqlBase,
  sqlite3: sqlite,
  "urllib/__init__": "",
  "urllib/error": urllibError,
  "urllib/parse": urllibParse,
  "urllib/request": urllibRequest,
  uuid: small.uuid,
};

/** Packages that pip has to install, by name. The library has each as a module with `_` before its name. */
const packages: Readonly<Record<string, string>> = {
  flask,
  requests,
  ...Object.fromEntries(pythonDrivers.map(({ name, code }) => [name, code])),
};

/** Returns pip's names of the packages that bring a module. */
export function packageNames(module: string): readonly string[] {
  return pythonDrivers.find(({ name }) => name === module)?.packages ?? [module];
}

export const knownPackages: readonly string[] = Object.keys(packages);
/** Returns the files that pip installs for a package: its metadata, and its program. */
export function packageFiles(name: string): readonly (readonly [path: string, text: string, mode: number])[] {
  const program = name === "flask" ? flaskProgram : [];
  return [[`${packageFolder}/${name}.dist-info/METADATA`, `Name: ${name}\n`, 0o644], ...program];
}

const flaskProgram = [
  ["/usr/local/bin/flask", "#!/usr/local/bin/python3\nimport flask\nflask.main()\n", 0o755] as const,
];

export const packageFolder = `${libraryFolder}/site-packages`;

/** The modules, and the packages under their names with `_`. */
const hidden: Readonly<Record<string, string>> = {
  ...modules,
  ...Object.fromEntries(Object.entries(packages).map(([name, text]) => [`_${name}`, text])),
};

export const pythonLibrary: ReadonlyMap<string, string> = new Map(
  Object.entries(hidden).map(([name, text]) => [`${libraryFolder}/${name}.py`, text]),
);

/** The Python code that imports the whole library. Programs start from the memory image after it. */
export const prelude = [
  `import sys\nsys.path[:] = [${JSON.stringify(libraryFolder)}]\nimport _begin`,
  ...Object.keys(hidden).map((name) => `import ${name.replace("/__init__", "").replaceAll("/", ".")}`),
].join("\n");
