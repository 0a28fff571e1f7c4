/** Parts of plots whose axes both go by powers of ten. */
export const PANEL = { width: 300, height: 220, left: 52, top: 30, gap: 24 };
export const COLOURS: readonly string[] = [
  '#cf222e',
  '#8250df',
  '#1f6feb',
  '#bf3989',
  '#1a7f37',
  '#9a6700',
  '#bc4c00',
  '#57606a',
  '#0a3069',
  '#953800',
];

export interface Point {
  readonly size: number;
  readonly value: number;
}

export interface Line {
  readonly colour: string;
  readonly points: readonly Point[];
}

interface Scales {
  readonly x: (size: number) => number;
  readonly y: (value: number) => number;
  readonly sizes: readonly number[];
  readonly powers: readonly number[];
}

export function scalesFor(points: readonly Point[]): Scales {
  const sizes = [...new Set(points.map(({ size }) => size))].toSorted((a, b) => a - b);
  const lowest = Math.floor(Math.log10(Math.min(...points.map(({ value }) => value))));
  const highest = Math.ceil(Math.log10(Math.max(...points.map(({ value }) => value))));
  const span = Math.log(sizes.at(-1)! / sizes[0]!) || 1;
  return {
    x: (size) => (Math.log(size / sizes[0]!) / span) * PANEL.width,
    y: (value) => PANEL.height - ((Math.log10(value) - lowest) / (highest - lowest || 1)) * PANEL.height,
    sizes,
    powers: Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index)),
  };
}

export function logPanel(title: string, lines: readonly Line[], scales: Scales): string {
  const { x, y, sizes, powers } = scales;
  return [
    `<text y="-10" font-weight="bold">${title}</text>`,
    ...powers.map(
      (power) =>
        `<line x2="${PANEL.width}" y1="${y(power)}" y2="${y(power)}" stroke="#d8dee4"/><text x="-6" y="${y(power) + 4}" text-anchor="end">${power.toLocaleString('en')}</text>`,
    ),
    ...sizes.map(
      (size) =>
        `<text x="${x(size)}" y="${PANEL.height + 16}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    ),
    ...lines.map((line) => drawn(line, scales)),
  ].join('');
}

function drawn({ colour, points }: Line, { x, y }: Scales): string {
  const at = points.map(({ size, value }) => [x(size).toFixed(1), y(value).toFixed(1)] as const);
  const dots = at.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`).join('');
  return `<polyline points="${at.map((point) => point.join(',')).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}`;
}

export const legend = (name: string, colour: string, { x, y }: { x: number; y: number }): string =>
  `<circle cx="${x}" cy="${y - 4}" r="4" fill="${colour}"/><text x="${x + 12}" y="${y}">${name}</text>`;
