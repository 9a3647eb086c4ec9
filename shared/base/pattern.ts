// Regular expressions of strangers: Go's dialect (RE2), bounded in size, matched in linear time, with the work counted as it is done.
import { RE2JS, RE2JSException } from "re2js";
import { limits } from "./limits.ts";
import { programBound } from "./pattern-size.ts";

/** Takes units of work, each about a microsecond; false: none are left, and what was being done finds nothing. It may also throw. */
export type Spend = (units: number) => boolean;

/** A fixed number of units; taking none tells whether any are left. */
export function budgetOf(units: number): Spend {
  let left = units;
  return (taken) => (left -= taken) > 0;
}

export interface Match {
  /** The whole and its groups; a group that took no part is undefined. */
  readonly groups: readonly (string | undefined)[];
  readonly start: number;
  readonly end: number;
}

export interface Pattern {
  /** Instructions: what it holds in memory, and what a letter costs at worst, is proportional to them. */
  readonly size: number;
  /** Whether any part of the text matches. */
  test(text: string, spend: Spend): boolean;
  /** The first match that begins at `from` or later. What comes before `from` counts for `^` and `\b`. */
  find(text: string, from: number, spend: Spend): Match | undefined;
  /** The matches, one after the other; an empty one does not follow another match at once. */
  findAll(text: string, spend: Spend): Generator<Match>;
}

export interface PatternOptions {
  readonly ignoresCase?: boolean;
  /** The leftmost and longest match, as POSIX wants it; otherwise the one that Perl would find first. */
  readonly takesLongest?: boolean;
  /** A match tells of the whole alone. */
  readonly withoutGroups?: boolean;
}

/** Why a text is no pattern, in Go's words. */
export interface NoPattern {
  readonly error: string;
}

export function isPattern(found: Pattern | NoPattern): found is Pattern {
  return !("error" in found);
}

const tooLarge: NoPattern = { error: "error parsing regexp: expression too large" };

/** What compiling costs, in units. */
export function compileUnits(source: string): number {
  return 10 + 2 * Math.min(programBound(source), limits.patternInstructions);
}

export function compilePattern(source: string, options: PatternOptions = {}): Pattern | NoPattern {
  if (programBound(source) > limits.patternInstructions) return tooLarge;
  const flags = (options.ignoresCase ? RE2JS.CASE_INSENSITIVE : 0) | (options.takesLongest ? RE2JS.LONGEST_MATCH : 0);
  try {
    const compiled = RE2JS.compile(source, flags);
    const groups = options.withoutGroups ? 0 : compiled.groupCount();
    return groups > limits.patternGroups ? tooLarge : new MeteredPattern(compiled, groups);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { error: error.message };
  }
}

/** What is used of the library beside its documented face: its two engines, and what they read. */
interface Engine {
  readonly prog: { readonly inst: readonly Instruction[]; getInst(at: number): Instruction };
  readonly dfa: {
    stateBudget: number;
    memBudget: number;
    readonly numClasses: number;
    match(input: Input, from: number, anchor: number): boolean | null;
    allocTable(state: unknown, anchor: number): unknown;
  };
  matchWithGroup(text: string, from: number, to: number, anchor: number, groups: number): [boolean, number[] | null];
  executeEngine(input: Input, from: number, anchor: number, boundaries: number): number[] | null;
  readonly machinePool: Threads[];
  doExecuteNFA(input: Input, from: number, anchor: number, boundaries: number): number[] | null;
}

interface Instruction {
  readonly op: number;
}

/** Places in the program that the letters read so far have led to, and those that the next one leads to. */
interface Threads {
  readonly q0: { readonly size: number };
  readonly q1: { readonly size: number };
}

interface Input {
  endPos(): number;
  step(at: number): number;
  canCheckPrefix(): boolean;
}

/** Units, measured: a letter read by the automaton, an instruction looked at, a class of letters in a table, a call. */
const cost = { letter: 0.025, visit: 0.06, class: 0.01, call: 1, thread: 0.03 };

/** So many units are taken at once. */
const portion = 20;

class Spent extends Error {}

const unanchored = 0;

class MeteredPattern implements Pattern {
  readonly size: number;
  readonly #engine: Engine;
  readonly #groups: number;
  #spend: Spend = () => true;
  #due = 0;

  constructor(compiled: RE2JS, groups: number) {
    this.#groups = groups;
    this.size = compiled.programSize();
    this.#engine = compiled.re2() as unknown as Engine;
    this.#meter(this.#engine);
  }

  test(text: string, spend: Spend): boolean {
    return this.#run(text, 0, 0, spend) !== undefined;
  }

  find(text: string, from: number, spend: Spend): Match | undefined {
    const found = this.#run(text, from, 1 + this.#groups, spend);
    if (!found) return undefined;
    const [start = 0, end = 0] = found;
    const groups: (string | undefined)[] = [];
    for (let group = 0; group <= this.#groups; group++) {
      const from = found[2 * group] ?? -1;
      const to = found[2 * group + 1] ?? -1;
      groups.push(from < 0 || to < 0 ? undefined : text.slice(from, to));
    }
    return { groups, start, end };
  }

  *findAll(text: string, spend: Spend): Generator<Match> {
    let before = -1;
    for (let from = 0; from <= text.length; ) {
      const found = this.find(text, from, spend);
      if (!found) return;
      const isEmpty = found.end === found.start;
      if (!isEmpty || found.start !== before) yield found;
      before = found.end;
      from = isEmpty ? found.end + ((text.codePointAt(found.end) ?? 0) > 0xffff ? 2 : 1) : found.end;
    }
  }

  /** The boundaries of the groups; undefined where nothing is found, and where the work is spent. */
  #run(text: string, from: number, groups: number, spend: Spend): readonly number[] | undefined {
    this.#spend = spend;
    this.#due = 0;
    try {
      this.#add(cost.call);
      const [, found] = this.#engine.matchWithGroup(text, from, text.length, unanchored, groups);
      return this.#flush() ? (found ?? undefined) : undefined;
    } catch (error) {
      if (error instanceof Spent) return undefined;
      throw error;
    }
  }

  #add(units: number): void {
    this.#due += units;
    if (this.#due >= portion && !this.#flush()) throw new Spent();
  }

  #flush(): boolean {
    const units = this.#due;
    this.#due = 0;
    return this.#spend(units);
  }

  /** Only the engines whose work can be counted are used: the automaton, and threads where it grows too large or groups are wanted. */
  #meter(engine: Engine): void {
    const { prog } = engine;
    const read = engine.prog.inst;
    prog.getInst = (at) => {
      this.#due += cost.visit;
      return read[at] as Instruction;
    };
    const { dfa } = engine;
    dfa.stateBudget = limits.patternStatesBytes;
    dfa.memBudget = limits.patternStatesBytes;
    const allocTable = dfa.allocTable.bind(dfa);
    dfa.allocTable = (state, anchor) => {
      this.#due += cost.class * dfa.numClasses;
      return allocTable(state, anchor);
    };
    engine.executeEngine = (input, from, anchor, boundaries) => {
      const step = input.step.bind(input);
      const running: { threads?: Threads | undefined } = {};
      const each = cost.thread * (1 + boundaries / 50);
      input.step = (at) => {
        const { threads } = running;
        this.#add(cost.letter + (threads ? each * (threads.q0.size + threads.q1.size) : 0));
        return step(at);
      };
      input.canCheckPrefix = () => false;
      const known = dfa.match(input, from, anchor);
      if (known === false) return null;
      if (known && boundaries === 0) return [];
      // The first run makes them.
      if (engine.machinePool.length === 0) engine.doExecuteNFA(input, input.endPos(), anchor, 0);
      running.threads = engine.machinePool.at(-1);
      return engine.doExecuteNFA(input, from, anchor, boundaries);
    };
  }
}
