// The author of commits.
import { parseDate } from "./dates.ts";
import type { GitCall } from "./command.ts";
import { GitFailure } from "./failure.ts";
import type { Person } from "./person.ts";

/** Returns the author or the committer, from the environment or the configuration. */
export async function personOf({ call, repository }: GitCall, role: "AUTHOR" | "COMMITTER"): Promise<Person> {
  const { variables, machine } = call.shell;
  const name = variables.get(`GIT_${role}_NAME`) ?? (await repository.setting("user.name"));
  const email = variables.get(`GIT_${role}_EMAIL`) ?? (await repository.setting("user.email"));
  if (!name || !email)
    throw new GitFailure(
      `${role === "AUTHOR" ? "Author" : "Committer"} identity unknown\n\n*** Please tell me who you are.\n\nRun\n\n  git config --global user.email "you@example.com"\n  git config --global user.name "Your Name"\n\nto set your account's default identity.\nOmit --global to set the identity only in this repository.\n\nfatal: unable to auto-detect email address (got 'user@terminal.(none)')`,
      128,
    );
  const text = variables.get(`GIT_${role}_DATE`);
  const date = text === undefined ? undefined : parseDate(text);
  if (text !== undefined && !date) throw new GitFailure(`fatal: invalid date format: ${text}`, 128);
  const nowMs = machine.kubectl.surroundings.clock.nowMs();
  return { name, email, ...(date ?? { timestamp: Math.floor(nowMs / 1000), timezoneOffset: 0 }) };
}
