// Growth curves: their exponents, and their picture as SVG.

/** A cost at one size. */
export interface Point {
  readonly size: number;
  readonly micros: number;
}

export interface Curve {
  readonly what: string;
  readonly points: readonly Point[];
}

const [width, height, margin] = [760, 420, 56];
const colors = ["#0b6bcb", "#c2410c", "#15803d", "#7c3aed"] as const;

/**
 * Returns the exponent of the growth from the first size above zero to the last: 0 is constant, 1 is linear. It is fitted by least squares
 * over the logarithms.
 */
export function exponent(points: readonly Point[]): number {
  const logs = points
    .filter(({ size }) => size > 0)
    .map(({ size, micros }) => [Math.log(size), Math.log(micros)] as const);
  const mean = (at: 0 | 1) => logs.reduce((sum, point) => sum + point[at], 0) / logs.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const above = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return above / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** Draws curves. Sizes are on a logarithmic scale, plus one so that zero has a place. Costs begin at zero. */
export function drawn(title: string, curves: readonly Curve[]): string {
  const all = curves.flatMap(({ points }) => points);
  const [mostX, mostY] = [
    Math.log10(Math.max(...all.map(({ size }) => size)) + 1),
    1.1 * Math.max(...all.map(({ micros }) => micros)),
  ];
  const x = (size: number) => margin + ((width - 2 * margin) * Math.log10(size + 1)) / mostX;
  const y = (micros: number) => height - margin - ((height - 2 * margin) * micros) / mostY;
  const line = (from: readonly [number, number], to: readonly [number, number]) =>
    `<line x1="${round(from[0])}" y1="${round(from[1])}" x2="${round(to[0])}" y2="${round(to[1])}" stroke="#ccc"/>`;
  const text = (at: readonly [number, number], words: string, more = "") =>
    `<text x="${round(at[0])}" y="${round(at[1])}" ${more}>${words}</text>`;
  const sizes = [0, ...Array.from({ length: Math.floor(mostX) }, (_, power) => 10 ** (power + 1))];
  const costs = Array.from({ length: 5 }, (_, at) => (mostY * at) / 4);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text([margin, margin / 2], title, 'font-size="14"'),
    ...sizes.flatMap((size) => [
      line([x(size), margin], [x(size), height - margin]),
      text([x(size), height - margin + 18], size.toLocaleString("en"), 'text-anchor="middle"'),
    ]),
    ...costs.flatMap((micros) => [
      line([margin, y(micros)], [width - margin, y(micros)]),
      text([margin - 6, y(micros) + 4], micros.toFixed(0), 'text-anchor="end"'),
    ]),
    text([margin - 6, margin - 8], "µs", 'text-anchor="end"'),
    ...curves.flatMap(({ what, points }, at) => {
      const color = colors[at % colors.length] ?? "#000";
      const path = points.map(({ size, micros }) => `${round(x(size))},${round(y(micros))}`).join(" ");
      const words = `${what} (exponent ${exponent(points).toFixed(2)})`;
      return [
        `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
        text([margin + 8, height - margin - 10 - 16 * at], words, `fill="${color}"`),
      ];
    }),
    "</svg>",
    "",
  ].join("\n");
}

function round(value: number): string {
  return value.toFixed(1);
}
