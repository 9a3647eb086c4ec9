// A chart of lines over time, as SVG. The pointer and the arrow keys read its values.
import { useState } from "preact/hooks";
import { texts } from "../messages/charts.ts";
import { type Series, pathOf, spanOf, timesOf, topOf, valueAt } from "./series.ts";

interface Props {
  readonly title: string;
  readonly series: readonly Series[];
  /** The least value at the top of the scale. */
  readonly least: number;
  readonly format: (value: number) => string;
}

export function LineChart({ title, series, least, format }: Props) {
  const [cursor, setCursor] = useState<number>();
  const span = spanOf(series);
  const top = topOf(series, least);
  const times = timesOf(series);
  const readMs = cursor === undefined ? times.at(-1) : times[Math.min(cursor, times.length - 1)];
  const valuesAt = (atMs: number) =>
    series.flatMap((one) => {
      const value = valueAt(one, atMs);
      return value === undefined ? [] : [{ name: one.name, text: format(value), isBound: one.isBound === true }];
    });
  const read = readMs === undefined ? [] : valuesAt(readMs);
  const move = (to: number) => setCursor(Math.max(0, Math.min(times.length - 1, to)));
  const press = (event: KeyboardEvent) => {
    const at = cursor ?? times.length - 1;
    const goals: Readonly<Record<string, number>> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: times.length - 1,
    };
    const goal = goals[event.key];
    if (goal === undefined) return;
    event.preventDefault();
    move(goal);
  };
  const point = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof Element)) return;
    const box = event.currentTarget.getBoundingClientRect();
    const atMs = span.fromMs + ((event.clientX - box.left) / box.width) * (span.toMs - span.fromMs);
    const near = times.findLastIndex((time) => time <= atMs);
    move(Math.max(0, near));
  };
  const spoken = read.map(({ name, text }) => `${name} ${text}`).join(", ");
  const x = readMs === undefined ? 0 : ((readMs - span.fromMs) / Math.max(1, span.toMs - span.fromMs)) * 1000;
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
        aria-label={texts.summary(title, spoken, format(Math.max(0, ...series.flatMap(peaks))))}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={cursor ?? Math.max(0, times.length - 1)}
        aria-valuetext={readMs === undefined ? texts.measuring : texts.readout(timeOf(readMs), spoken)}
        onKeyDown={press}
        onPointerMove={point}
        onPointerLeave={() => setCursor(undefined)}
      >
        <span class="chart-top" aria-hidden="true">
          {format(top)}
        </span>
        <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
          {[0, 50, 100].map((y) => (
            <line key={y} class="chart-grid" x1="0" x2="1000" y1={y} y2={y} />
          ))}
          {series.map((one, at) => (
            <path
              key={one.name}
              class={one.isBound ? "chart-bound" : `chart-line of-${at}`}
              d={pathOf(one, span, top)}
            />
          ))}
          {cursor !== undefined && <line class="chart-cursor" x1={x} x2={x} y1="0" y2="100" />}
        </svg>
      </div>
      <ul class="chart-legend">
        {series.map((one, at) => (
          <li key={one.name}>
            <span class={one.isBound ? "swatch bound" : `swatch of-${at}`} aria-hidden="true" />
            <span class="name">{one.name}</span> <output>{read.find(({ name }) => name === one.name)?.text}</output>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function peaks({ points, isBound }: Series): readonly number[] {
  return isBound ? [] : points.map(({ value }) => value);
}

function timeOf(atMs: number): string {
  return new Date(atMs).toLocaleTimeString();
}
