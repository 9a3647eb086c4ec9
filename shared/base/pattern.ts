// Untrusted regular expressions: Go's dialect (RE2), bounded in size, matched in linear time with metered work.
import { RE2JS, RE2JSException } from "re2js";
import { limits } from "./limits.ts";
import { programBound } from "./pattern-size.ts";

/**
 * Charges units of work, each about a microsecond. Returns false if none are left, in which case the operation finds nothing. May also
 * throw.
 */
export type Spend = (units: number) => boolean;

/** Creates a fixed budget. Charging zero reports whether any units are left. */
export function budgetOf(units: number): Spend {
  let left = units;
  return (taken) => (left -= taken) > 0;
}

export interface Match {
  /** The entire match and its groups; a group without a match is undefined. */
  readonly groups: readonly (string | undefined)[];
  readonly start: number;
  readonly end: number;
}

export interface Pattern {
  /** The number of instructions. Memory, and the worst cost of a letter, are proportional to it. */
  readonly size: number;
  /** Reports whether any part of the text matches. */
  test(text: string, spend: Spend): boolean;
  /** Returns the first match at `from` or later. The text before `from` counts for `^` and `\b`. */
  find(text: string, from: number, spend: Spend): Match | undefined;
  /** Returns the matches one after the other. An empty match does not directly follow another match. */
  findAll(text: string, spend: Spend): Generator<Match>;
}

export interface PatternOptions {
  readonly ignoresCase?: boolean;
  /** True for the leftmost-longest match of POSIX instead of Perl's first match. */
  readonly takesLongest?: boolean;
  /** True if only the entire match is needed. */
  readonly withoutGroups?: boolean;
}

/** The reason why a text is not a pattern, in Go's words. */
export interface NoPattern {
  readonly error: string;
}

export function isPattern(result: Pattern | NoPattern): result is Pattern {
  return !("error" in result);
}

const tooLarge: NoPattern = { error: "error parsing regexp: expression too large" };

/** Returns the cost of compiling in units. */
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

/** The undocumented parts of the library that are used: its two engines, and their input. */
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

/** The states that the letters so far have reached, and those of the next letter. */
interface Threads {
  readonly q0: { readonly size: number };
  readonly q1: { readonly size: number };
}

interface Input {
  endPos(): number;
  step(at: number): number;
  canCheckPrefix(): boolean;
}

/** The measured units of a letter in the automaton, a visited instruction, a class of letters in a table, and a call. */
const cost = { letter: 0.025, visit: 0.06, class: 0.01, call: 1, thread: 0.03 };

/** The number of units that are charged at once. */
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
    const boundaries = this.#run(text, from, 1 + this.#groups, spend);
    if (!boundaries) return undefined;
    const [start = 0, end = 0] = boundaries;
    const groups: (string | undefined)[] = [];
    for (let group = 0; group <= this.#groups; group++) {
      const from = boundaries[2 * group] ?? -1;
      const to = boundaries[2 * group + 1] ?? -1;
      groups.push(from < 0 || to < 0 ? undefined : text.slice(from, to));
    }
    return { groups, start, end };
  }

  *findAll(text: string, spend: Spend): Generator<Match> {
    let before = -1;
    for (let from = 0; from <= text.length; ) {
      const match = this.find(text, from, spend);
      if (!match) return;
      const isEmpty = match.end === match.start;
      if (!isEmpty || match.start !== before) yield match;
      before = match.end;
      from = isEmpty ? match.end + ((text.codePointAt(match.end) ?? 0) > 0xffff ? 2 : 1) : match.end;
    }
  }

  /** Returns the boundaries of the groups. Returns undefined without a match, or if the budget is spent. */
  #run(text: string, from: number, groups: number, spend: Spend): readonly number[] | undefined {
    this.#spend = spend;
    this.#due = 0;
    try {
      this.#add(cost.call);
      const [, boundaries] = this.#engine.matchWithGroup(text, from, text.length, unanchored, groups);
      return this.#flush() ? (boundaries ?? undefined) : undefined;
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

  /** Uses only the engines whose work can be counted: the automaton, and threads if it grows too large or groups are requested. */
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
      const verdict = dfa.match(input, from, anchor);
      if (verdict === false) return null;
      if (verdict && boundaries === 0) return [];
      // The first run creates the machines.
      if (engine.machinePool.length === 0) engine.doExecuteNFA(input, input.endPos(), anchor, 0);
      running.threads = engine.machinePool.at(-1);
      return engine.doExecuteNFA(input, from, anchor, boundaries);
    };
  }
}
