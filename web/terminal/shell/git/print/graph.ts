// The lines that `git log --graph` draws beside commits. Branches are columns; the steps are those of upstream's `graph.c`.
import type { Paint } from "../paint.ts";
import type { Commit } from "../repository.ts";

type State = "padding" | "commit" | "merge" | "collapse";

const none = -1;
const mergeLetters = ["/", "|", "\\"] as const;

export class Graph {
  readonly #paint: Paint;
  #commit = "";
  #parents: readonly string[] = [];
  #columns: string[] = [];
  #newColumns: string[] = [];
  /** The new column to which each character's branch leads. */
  #mapping: number[] = [];
  #oldMapping: number[] = [];
  #width = 0;
  #commitIndex = 0;
  #previousIndex = 0;
  /** 0 if a merge's first parent is to the left of it, otherwise 1. */
  #mergeLayout = none;
  #edgesAdded = 0;
  #previousEdges = 0;
  #state: State = "padding";
  #previousState: State = "padding";

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  /** Goes on to the next commit. `parents` are those that can be shown. */
  update(commit: Pick<Commit, "oid">, parents: readonly string[]): void {
    this.#commit = commit.oid;
    this.#parents = parents;
    this.#previousIndex = this.#commitIndex;
    this.#updateColumns();
    this.#enter("commit");
  }

  #enter(state: State): void {
    this.#previousState = this.#state;
    this.#state = state;
  }

  #updateColumns(): void {
    this.#columns = this.#newColumns;
    this.#newColumns = [];
    this.#mapping = [];
    this.#width = 0;
    this.#previousEdges = this.#edgesAdded;
    this.#edgesAdded = 0;
    let isSeen = false;
    for (const [at, column] of [...this.#columns, this.#commit].entries()) {
      if (at === this.#columns.length && isSeen) break;
      if (column !== this.#commit) {
        this.#insert(column, none);
        continue;
      }
      isSeen = true;
      this.#commitIndex = at;
      this.#mergeLayout = none;
      for (const parent of this.#parents) this.#insert(parent, at);
      if (this.#parents.length === 0) this.#width += 2;
    }
  }

  /** Adds a branch to the columns below the commit. `index` is the column of the commit if the branch is a parent. */
  #insert(oid: string, index: number): void {
    let column = this.#newColumns.indexOf(oid);
    if (column < 0) column = this.#newColumns.push(oid) - 1;
    if (this.#parents.length > 1 && index > none && this.#mergeLayout === none) {
      const distance = index - column;
      const shift = distance > 1 ? 2 * distance - 3 : 1;
      this.#mergeLayout = distance > 0 ? 0 : 1;
      this.#edgesAdded = this.#parents.length + this.#mergeLayout - 2;
      this.#set(this.#width + (this.#mergeLayout - 1) * shift, column);
      this.#width += 2 * this.#mergeLayout;
    } else if (this.#edgesAdded > 0 && column === this.#mapping[this.#width - 2]) {
      this.#edgesAdded = -1;
    } else {
      this.#set(this.#width, column);
      this.#width += 2;
    }
  }

  #set(at: number, column: number): void {
    while (this.#mapping.length <= at) this.#mapping.push(none);
    this.#mapping[at] = column;
  }

  get isAtCommit(): boolean {
    return this.#state === "commit";
  }

  get isFinished(): boolean {
    return this.#state === "padding";
  }

  /** Returns what stands before the next line of the commit's text, or below it. */
  next(): string {
    switch (this.#state) {
      case "commit":
        return this.#commitLine();
      case "merge":
        return this.#mergeLine();
      case "collapse":
        return this.#collapseLine();
      default:
        this.#previousState = "padding";
        return this.#bars(this.#newColumns.length);
    }
  }

  /** Returns what stands in the empty line before the commit. */
  padding(): string {
    this.#previousState = "padding";
    return this.#bars(this.#columns.length);
  }

  #bars(count: number): string {
    return this.#padded(`${this.#bar("|")} `.repeat(count), 2 * count);
  }

  #padded(text: string, length: number): string {
    return text + " ".repeat(Math.max(0, this.#width - length));
  }

  #bar(letter: string): string {
    return this.#paint("red", letter);
  }

  #endLine(letters: readonly string[]): string {
    const text = letters.map((letter) => (letter === " " || letter === "*" ? letter : this.#bar(letter))).join("");
    return this.#padded(text, letters.length);
  }

  #isCorrect(): boolean {
    return this.#mapping.every((column, at) => column < 0 || column === at >> 1);
  }

  #settle(): void {
    this.#enter(this.#isCorrect() ? "padding" : "collapse");
  }

  #commitLine(): string {
    const letters: string[] = [];
    let isSeen = false;
    for (const [at, column] of [...this.#columns, this.#commit].entries()) {
      if (at === this.#columns.length && isSeen) break;
      const isCommit = column === this.#commit;
      letters.push(isCommit ? "*" : this.#besideCommit(at, isSeen), " ");
      isSeen ||= isCommit;
    }
    if (this.#parents.length > 1) this.#enter("merge");
    else this.#settle();
    return this.#endLine(letters);
  }

  #besideCommit(at: number, isAfter: boolean): string {
    if (isAfter && this.#edgesAdded > 1) return "\\";
    if (isAfter && this.#edgesAdded === 1) {
      const leans = this.#previousState === "merge" && this.#previousEdges > 0 && this.#previousIndex < at;
      return leans ? "\\" : "|";
    }
    const hasMoved = this.#oldMapping[2 * at + 1] === at && (this.#mapping[2 * at] ?? none) < at;
    return this.#previousState === "collapse" && hasMoved ? "/" : "|";
  }

  #mergeLine(): string {
    const letters: string[] = [];
    let isSeen = false;
    let hasParent = false;
    for (const [at, column] of [...this.#columns, this.#commit].entries()) {
      if (at === this.#columns.length && isSeen) break;
      if (column === this.#commit) {
        isSeen = true;
        letters.push(...this.#mergeEdges());
      } else if (isSeen) letters.push(this.#edgesAdded > 0 ? "\\" : "|", " ");
      else {
        letters.push("|");
        if (this.#mergeLayout !== 0 || at !== this.#commitIndex - 1) letters.push(hasParent ? "_" : " ");
      }
      hasParent ||= column === this.#parents[0];
    }
    this.#settle();
    return this.#endLine(letters);
  }

  #mergeEdges(): string[] {
    const letters: string[] = [];
    let kind = this.#mergeLayout;
    for (const at of this.#parents.keys()) {
      letters.push(mergeLetters[kind] ?? "|");
      if (kind < 2) kind++;
      else if (this.#edgesAdded > 0 || at < this.#parents.length - 1) letters.push(" ");
    }
    if (this.#edgesAdded === 0) letters.push(" ");
    return letters;
  }

  /** Moves branches to the left, each by a character or across one other branch. One may move further, by a horizontal line. */
  #collapseLine(): string {
    const before = this.#mapping;
    const mapping: number[] = before.map(() => none);
    let edge = none;
    let edgeTarget = none;
    const begin = (at: number, from: number, target: number) => {
      if (edge !== none) return;
      edge = at;
      edgeTarget = target;
      for (let next = target * 2 + 3; next < from - 2; next += 2) mapping[next] = target;
    };
    for (const [at, target] of before.entries()) {
      if (target < 0) continue;
      const left = mapping[at - 1] ?? none;
      if (target * 2 === at) mapping[at] = target;
      else if (left < 0) {
        mapping[at - 1] = target;
        begin(at, at, target);
      } else if (left !== target) {
        mapping[at - 2] = target;
        begin(at - 1, at, target);
      }
    }
    this.#oldMapping = [...mapping];
    if ((mapping.at(-1) ?? none) < 0) mapping.pop();
    this.#mapping = mapping;
    let hasHorizontal = false;
    const letters = mapping.map((target, at) => {
      if (target < 0) return " ";
      if (target * 2 === at) return "|";
      if (target === edgeTarget && at !== edge - 1) {
        if (at !== target * 2 + 3) mapping[at] = none;
        hasHorizontal = true;
        return "_";
      }
      if (hasHorizontal && at < edge) mapping[at] = none;
      return "/";
    });
    if (this.#isCorrect()) this.#enter("padding");
    return this.#endLine(letters);
  }
}

/** Sorts commits as the graph shows them: each branch as a whole, and before its parents. */
export function inGraphOrder(commits: readonly Commit[]): Commit[] {
  const byId = new Map(commits.map((commit) => [commit.oid, commit]));
  const children = new Map<string, number>();
  for (const { parent } of commits) for (const oid of parent) children.set(oid, (children.get(oid) ?? 0) + 1);
  const stack = commits.filter(({ oid }) => !children.has(oid)).reverse();
  const sorted: Commit[] = [];
  for (let commit = stack.pop(); commit; commit = stack.pop()) {
    sorted.push(commit);
    for (const oid of commit.parent) {
      const left = (children.get(oid) ?? 1) - 1;
      children.set(oid, left);
      const parent = byId.get(oid);
      if (left === 0 && parent) stack.push(parent);
    }
  }
  return sorted;
}

/** Puts the graph beside the text of a commit. */
export function besideGraph(graph: Graph, text: string): string {
  let result = "";
  for (let isShown = false; !isShown; ) {
    isShown = graph.isAtCommit;
    result += isShown ? graph.next() : `${graph.next()}\n`;
  }
  const [first = "", ...rest] = text.replace(/\n$/, "").split("\n");
  result += `${first}\n${rest.map((line) => `${graph.next()}${line}\n`).join("")}`;
  while (!graph.isFinished) result += `${graph.next()}\n`;
  return result;
}
