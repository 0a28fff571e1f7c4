/** Draws events per CPU-second against rules, both by powers of ten, one panel for each platform and set. */
import type { PeerFigures } from './figures.ts';

const PANEL = { width: 300, height: 220, left: 52, top: 30, gap: 24 };
const LEGEND_LINE = 18;
const COLOURS = [
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

interface Point {
  readonly rules: number;
  readonly speed: number;
}

const pointsOf = (figures: readonly PeerFigures[]): Point[] =>
  figures.flatMap((one) => ('absent' in one ? [] : [{ rules: one.rules, speed: one.eventsPerSecond }]));

export function plotPeers(figures: readonly PeerFigures[]): string {
  const drawn = figures.filter((one) => pointsOf([one]).length > 0);
  const names = [...new Set(drawn.map(({ peer }) => peer))];
  const panels = [...Map.groupBy(drawn, ({ platform, set }) => `${platform === 'x' ? 'posts' : 'pages'}, set ${set}`)];
  const columns = Math.min(3, panels.length);
  const width = PANEL.left + columns * (PANEL.width + PANEL.gap);
  const below = Math.ceil(panels.length / columns) * (PANEL.height + PANEL.top + PANEL.gap) + PANEL.top;
  const scales = scalesFor(pointsOf(drawn));
  const parts = panels.map(([title, own], index) => {
    const left = PANEL.left + (index % columns) * (PANEL.width + PANEL.gap);
    const top = PANEL.top + Math.floor(index / columns) * (PANEL.height + PANEL.top + PANEL.gap);
    return `<g transform="translate(${left} ${top})">${panel(title, own, names, scales)}</g>`;
  });
  const height = below + names.length * LEGEND_LINE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>Events per CPU-second against the number of rules</title>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    ...names.map((name, index) => legend(name, index, below + index * LEGEND_LINE)),
    '</svg>\n',
  ].join('\n');
}

interface Scales {
  readonly x: (rules: number) => number;
  readonly y: (speed: number) => number;
  readonly sizes: readonly number[];
  readonly powers: readonly number[];
}

function scalesFor(points: readonly Point[]): Scales {
  const sizes = [...new Set(points.map(({ rules }) => rules))].toSorted((a, b) => a - b);
  const lowest = Math.floor(Math.log10(Math.min(...points.map(({ speed }) => speed))));
  const highest = Math.ceil(Math.log10(Math.max(...points.map(({ speed }) => speed))));
  const span = Math.log(sizes.at(-1)! / sizes[0]!) || 1;
  return {
    x: (rules) => (Math.log(rules / sizes[0]!) / span) * PANEL.width,
    y: (speed) => PANEL.height - ((Math.log10(speed) - lowest) / (highest - lowest || 1)) * PANEL.height,
    sizes,
    powers: Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index)),
  };
}

function panel(title: string, figures: readonly PeerFigures[], names: readonly string[], scales: Scales): string {
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
    ...[...Map.groupBy(figures, ({ peer }) => peer)].map(([peer, own]) => curve(names.indexOf(peer), own, scales)),
  ].join('');
}

function curve(index: number, figures: readonly PeerFigures[], { x, y }: Scales): string {
  const colour = COLOURS[index % COLOURS.length]!;
  const at = pointsOf(figures).map(({ rules, speed }) => [x(rules).toFixed(1), y(speed).toFixed(1)] as const);
  const dots = at.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`).join('');
  return `<polyline points="${at.map((point) => point.join(',')).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}`;
}

const legend = (name: string, index: number, y: number): string =>
  `<circle cx="${PANEL.left}" cy="${y - 4}" r="4" fill="${COLOURS[index % COLOURS.length]!}"/><text x="${PANEL.left + 12}" y="${y}">${name}</text>`;
