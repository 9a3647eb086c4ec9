// Commands of a RUN that add users and groups.
import type { BuildCommand, CommandCall } from "./command.ts";
import { optionsOf } from "./run-options.ts";

const optionsWithValue =
  "-u --uid -g --gid -G --groups -s --shell -d --home --home-dir -c --comment --gecos -h --ingroup -k -b";

export const accountCommands: Readonly<Record<string, BuildCommand>> = {
  useradd: addUser,
  adduser: addUser,
  groupadd: addGroup,
  addgroup: addGroup,
};

/** The first number of ordinary users, as in common distributions. */
const firstPerson = 1000;
const firstSystem = 100;

function addUser(call: CommandCall): void {
  const { layers, name: program } = call;
  const { rest, valueOf, has } = optionsOf(call.args, optionsWithValue);
  const isSystem = has("-r", "--system", "-S");
  // Busybox has `-G` for the user's primary group, and `-g` for the comment that other programs set with `-c`.
  const isBusybox = program === "adduser" && has("-D", "-S", "-H");
  const [name, group] = [rest[0] ?? "", isBusybox ? valueOf("-G") : valueOf("-g", "--gid", "--ingroup")];
  if (!/^[a-z_][a-z0-9_-]*$/.test(name)) call.refuse(`${program} must name a user`);
  if (layers.users.some((user) => user.name === name)) call.refuse(`there is a user ${name} already`);
  const uid = optionalId(call, valueOf("-u", "--uid")) ?? nextFreeId(call, isSystem);
  const gid = group === undefined ? layers.groups.get(name) : groupId(call, group);
  // By default a user's group has the user's number.
  layers.users.push({ name, uid, ...(gid === undefined || gid === uid ? {} : { gid }) });
  const makesHome = isBusybox ? !has("-H", "-S") : !has("--no-create-home", "--system");
  if (program === "useradd" ? has("-m", "--create-home") : makesHome)
    layers.makeFolder(valueOf("-d", "--home", "--home-dir", "-h") ?? `/home/${name}`, { owner: name });
}

function addGroup(call: CommandCall): void {
  const { rest, valueOf, has } = optionsOf(call.args, optionsWithValue);
  const [name = ""] = rest;
  if (rest.length > 1) call.refuse(`${call.name} with a user is not supported`);
  if (!/^[a-z_][a-z0-9_-]*$/.test(name)) call.refuse(`${call.name} must name a group`);
  call.layers.groups.set(
    name,
    optionalId(call, valueOf("-g", "--gid")) ?? nextFreeId(call, has("-r", "--system", "-S")),
  );
}

function groupId(call: CommandCall, group: string): number {
  const existing = call.layers.groups.get(group) ?? call.layers.users.find(({ name }) => name === group)?.gid;
  return existing ?? parseId(call, group);
}

function optionalId(call: CommandCall, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseId(call, text);
}

function parseId(call: CommandCall, text: string): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : call.refuse(`there is no group or number ${text}`);
}

function nextFreeId({ layers }: CommandCall, isSystem: boolean): number {
  const taken = new Set([...layers.users.map(({ uid }) => uid), ...layers.groups.values()]);
  let number = isSystem ? firstSystem : firstPerson;
  while (taken.has(number)) number++;
  return number;
}
