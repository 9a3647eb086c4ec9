// The divider between two panes: dragged, moved by arrow keys, and reset by a double click. Its position is remembered.
import type { Remembered } from "./remembered.ts";

interface Props {
  readonly label: string;
  /** `row` places the panes side by side. */
  readonly direction: "row" | "column";
  /** The second pane's share of the parent, from 0 to 1. */
  readonly share: Remembered<number>;
  readonly initial: number;
  readonly least: number;
  readonly most: number;
}

const stepShare = 0.03;

export function Splitter({ label, direction, share, initial, least, most }: Props) {
  const set = (to: number) => share.set(Math.min(most, Math.max(least, to)));
  const value = Math.min(most, Math.max(least, share.value.value));
  const drag = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof HTMLElement)) return;
    const { currentTarget: line } = event;
    const box = line.parentElement?.getBoundingClientRect();
    if (!box || !line.hasPointerCapture(event.pointerId)) return;
    set(direction === "row" ? (box.right - event.clientX) / box.width : (box.bottom - event.clientY) / box.height);
  };
  const press = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> =
      direction === "row"
        ? { ArrowLeft: stepShare, ArrowRight: -stepShare }
        : { ArrowUp: stepShare, ArrowDown: -stepShare };
    const step = steps[event.key];
    if (step !== undefined) set(value + step);
    else if (event.key === "Home") set(least);
    else if (event.key === "End") set(most);
    else return;
    event.preventDefault();
  };
  const percent = (ratio: number) => Math.round(ratio * 100);
  return (
    <div
      class={`splitter ${direction}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={direction === "row" ? "vertical" : "horizontal"}
      aria-valuenow={percent(value)}
      aria-valuemin={percent(least)}
      aria-valuemax={percent(most)}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onKeyDown={press}
      onDblClick={() => set(initial)}
    />
  );
}
