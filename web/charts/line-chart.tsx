// A chart of lines over time, as SVG. The pointer and the arrow keys read its values.
import { useState } from "preact/hooks";
import { texts } from "../messages/charts.ts";
import { type Series, type Span, pathOf, spanOf, timesOf, topOf, valueAt } from "./series.ts";

interface Props {
  readonly title: string;
  readonly series: readonly Series[];
  /** The least value at the top of the scale. */
  readonly least: number;
  readonly format: (value: number) => string;
}

export function LineChart({ title, series, least, format }: Props) {
  const [cursor, setCursor] = useState<number>();
  const times = timesOf(series);
  const readMs = cursor === undefined ? times.at(-1) : times[Math.min(cursor, times.length - 1)];
  const values = series.map((line) => {
    const value = readMs === undefined ? undefined : valueAt(line, readMs);
    return value === undefined ? "" : format(value);
  });
  const spoken = series.map(({ name }, at) => `${name} ${values[at] ?? ""}`).join(", ");
  const last = Math.max(0, times.length - 1);
  const move = (to: number) => setCursor(Math.max(0, Math.min(last, to)));
  const press = (event: KeyboardEvent) => {
    const goal = goalOf(event.key, cursor ?? last, last);
    if (goal === undefined) return;
    event.preventDefault();
    move(goal);
  };
  return (
    <figure class="chart" data-chart={title}>
      <figcaption>
        <strong>{title}</strong>
        <span class="muted">{readMs !== undefined && cursor !== undefined && timeOf(readMs)}</span>
      </figcaption>
      <div
        class="chart-box"
        role="slider"
        tabIndex={0}
        aria-label={texts.summary(title, format(Math.max(0, ...series.flatMap(peaks))))}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={cursor ?? last}
        aria-valuetext={readMs === undefined ? texts.measuring : texts.readout(timeOf(readMs), spoken)}
        onKeyDown={press}
        onPointerMove={(event) => move(indexAt(event, spanOf(series), times))}
        onPointerLeave={() => setCursor(undefined)}
        onBlur={() => setCursor(undefined)}
      >
        <Lines series={series} least={least} format={format} cursorMs={cursor === undefined ? undefined : readMs} />
      </div>
      <ul class="chart-legend">
        {series.map((line, at) => (
          <li key={line.name}>
            <span class={line.isBound ? "swatch bound" : `swatch of-${at}`} aria-hidden="true" />
            <span class="name">{line.name}</span> <strong data-value>{values[at]}</strong>
          </li>
        ))}
      </ul>
    </figure>
  );
}

interface LinesProps extends Omit<Props, "title"> {
  /** The time that is read. */
  readonly cursorMs: number | undefined;
}

function Lines({ series, least, format, cursorMs }: LinesProps) {
  const span = spanOf(series);
  const top = topOf(series, least);
  const x = cursorMs === undefined ? 0 : ((cursorMs - span.fromMs) / Math.max(1, span.toMs - span.fromMs)) * 1000;
  return (
    <>
      <span class="chart-top" aria-hidden="true">
        {format(top)}
      </span>
      <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        {[0, 50, 100].map((y) => (
          <line key={y} class="chart-grid" x1="0" x2="1000" y1={y} y2={y} />
        ))}
        {series.map((line, at) => (
          <path
            key={line.name}
            class={line.isBound ? "chart-bound" : `chart-line of-${at}${line.points.length === 1 ? " single" : ""}`}
            d={pathOf(line, span, top)}
          />
        ))}
        {cursorMs !== undefined && <line class="chart-cursor" x1={x} x2={x} y1="0" y2="100" />}
      </svg>
    </>
  );
}

/** Returns the point that a key leads to. */
function goalOf(key: string, at: number, last: number): number | undefined {
  const goals: Readonly<Record<string, number>> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  return goals[key];
}

/** Returns the point below the pointer. */
function indexAt({ currentTarget, clientX }: PointerEvent, { fromMs, toMs }: Span, times: readonly number[]): number {
  if (!(currentTarget instanceof Element)) return 0;
  const { left, width } = currentTarget.getBoundingClientRect();
  const atMs = fromMs + ((clientX - left) / width) * (toMs - fromMs);
  return times.findLastIndex((time) => time <= atMs);
}

function peaks({ points, isBound }: Series): readonly number[] {
  return isBound ? [] : points.map(({ value }) => value);
}

function timeOf(atMs: number): string {
  return new Date(atMs).toLocaleTimeString();
}
