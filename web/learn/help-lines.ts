// The teacher's lines on a learner's page. A page takes lines before it runs them, and only for a terminal whose user consented there. So each
// line runs at most once, however many pages of the run are open.
import type { Run } from "../../shared/contract/lesson.ts";
import { ControlFailure } from "../api/control-failure.ts";
import type { PageTerminal } from "./page-terminals.ts";

type Help = Run["help"];

interface TakeApi {
  takeLines(terminal: string, upTo: number): Promise<unknown>;
}

export interface HelpLines {
  /** Takes and runs the lines of the newest known help. A request that failed is repeated at the next call. */
  update(help: Help, terminals: readonly PageTerminal[]): Promise<void>;
}

/** Lines for which a request was sent whose response has not arrived. */
interface Taken {
  readonly terminal: string;
  readonly lines: Help["lines"];
  readonly upTo: number;
}

export function newHelpLines(api: TakeApi): HelpLines {
  /** The number of the newest line that this page ran. */
  let ranUpTo = 0;
  let taken: Taken | undefined;
  let isTaking = false;
  const next = ({ state, terminal, lines }: Help): Taken | undefined => {
    const fresh = lines.filter(({ seq }) => seq > ranUpTo);
    const upTo = fresh.at(-1)?.seq;
    return state === "joined" && terminal !== undefined && upTo !== undefined
      ? { terminal, lines: fresh, upTo }
      : undefined;
  };
  return {
    update: async (help, terminals) => {
      if (isTaking) return;
      // The service may have removed lines although its response was lost, so the same lines are taken again.
      taken ??= next(help);
      const request = taken;
      const terminal = terminals.find(({ id }) => id === request?.terminal);
      if (!request || !terminal) return void (taken = undefined);
      isTaking = true;
      try {
        await api.takeLines(request.terminal, request.upTo);
        taken = undefined;
        ranUpTo = request.upTo;
        for (const { text } of request.lines) {
          if (text === "") terminal.interrupt();
          else terminal.run(text);
        }
      } catch (error) {
        // The service refused: the consent has ended, or moved to another terminal, which takes the lines.
        if (error instanceof ControlFailure && error.code === "consent_missing") taken = undefined;
      } finally {
        isTaking = false;
      }
    },
  };
}
