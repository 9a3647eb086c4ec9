// Commands for keys, members and the audit log.
import type { Key, Sandbar } from "../index.ts";
import { numberOf, secondsOf, UsageError } from "./values.ts";
import { readPages } from "./pages.ts";
import { printJson, table } from "./print.ts";

interface Run {
  readonly client: Sandbar;
  readonly words: readonly string[];
  text(option: string): string | undefined;
  texts(option: string): readonly string[];
  has(option: string): boolean;
  print(text: string): void;
  say(text: string): void;
}

export const peopleCommands: Readonly<Record<string, (run: Run) => Promise<void>>> = {
  whoami: async (run) => {
    const me = await run.client.getMe();
    if (run.has("json")) return printJson(run, me);
    const { tenant, key, person, scopes } = me;
    const who = {
      tenant: tenant?.name ?? "",
      key: key?.name ?? "",
      person: person?.name ?? "",
      scopes: scopes.join(" "),
    };
    const lines = Object.entries(who).filter(([, value]) => value !== "");
    run.print(lines.map(([field, value]) => `${field}: ${value}\n`).join(""));
  },
  keys: async (run) => {
    const keys = await readPages(
      (page) => run.client.listKeys(page),
      (page) => page.keys,
    );
    if (run.has("json")) return printJson(run, keys);
    run.print(table(["ID", "NAME", "EXPIRES", "LAST USED", "SCOPES"], keys.map(cells)));
  },
  "create-key": async (run) => {
    const [ttl, name] = [run.text("ttl"), run.text("name")];
    const scopes = run.texts("scope").flatMap((text) => text.split(","));
    if (name === undefined || scopes.length === 0) throw new UsageError("--name and --scope are required");
    const createdKey = await run.client.createKey({
      name,
      // The service refuses unknown scopes.
      scopes: scopes as Parameters<Sandbar["createKey"]>[0]["scopes"],
      ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl, "--ttl") }),
    });
    if (run.has("json")) return printJson(run, createdKey);
    run.say(`key ${createdKey.id} (${createdKey.name}); it is shown this once`);
    run.print(`${createdKey.key}\n`);
  },
  "revoke-key": async (run) => {
    for (const id of run.words) {
      await run.client.revokeKey(id);
      run.say(`${id} is revoked`);
    }
  },
  members: async (run) => {
    const members = await readPages(
      (page) => run.client.listMembers(page),
      (page) => page.members,
    );
    if (run.has("json")) return printJson(run, members);
    const rows = members.map(({ id, name, role, joinedAt }) => [id, name, role, joinedAt]);
    run.print(table(["ID", "NAME", "ROLE", "JOINED"], rows));
  },
  invite: async (run) => {
    const [role, ttl] = [run.text("role"), run.text("ttl")];
    if (role !== undefined && !isRole(role)) throw new UsageError("--role must be viewer, member or owner");
    const email = run.text("email");
    const invitation = await run.client.createInvitation({
      ...(role === undefined ? {} : { role }),
      ...(email === undefined ? {} : { email }),
      ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl, "--ttl") }),
    });
    if (run.has("json")) return printJson(run, invitation);
    run.say(`for one person, as ${invitation.role}, until ${invitation.expiresAt}`);
    if (email !== undefined && invitation.mail === undefined) run.say("this service sends no e-mail: send the link");
    run.print(`${invitation.url}\n`);
  },
  audit: async (run) => {
    const limit = numberOf(run.text("limit") ?? "100", "--limit");
    const entries = await readPages(
      (page) => run.client.listAudit(page),
      (page) => page.entries,
      limit,
    );
    if (run.has("json")) return printJson(run, entries);
    const rows = entries.map(({ at, by, action, target, outcome, code, address }) => [
      ...[at, by.name, action, target],
      ...[code ? `${outcome} (${code})` : outcome, address],
    ]);
    run.print(table(["AT", "BY", "ACTION", "TARGET", "OUTCOME", "FROM"], rows));
  },
};

function isRole(text: string): text is "viewer" | "member" | "owner" {
  return ["viewer", "member", "owner"].includes(text);
}

function cells({ id, name, expiresAt = "never", lastUsedAt = "never", scopes }: Key): string[] {
  return [id, name, expiresAt, lastUsedAt, scopes.join(",")];
}
