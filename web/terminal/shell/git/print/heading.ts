// The line that `git commit` prints about a new commit.
import { type Commit, shortOf } from "../repository.ts";
import { dateText, subjectOf } from "./commit.ts";

/** Returns the heading. `showsDate` adds the author's date. */
export function headingOf(commit: Commit, place: string, showsDate: boolean): string {
  const { author, committer, parent, oid } = commit;
  const root = parent.length === 0 ? " (root-commit)" : "";
  const isOther = author.name !== committer.name || author.email !== committer.email;
  const authorLine = isOther ? ` Author: ${author.name} <${author.email}>\n` : "";
  const date = showsDate ? ` Date: ${dateText(author)}\n` : "";
  return `[${place}${root} ${shortOf(oid)}] ${subjectOf(commit)}\n${authorLine}${date}`;
}
