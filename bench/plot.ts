/** Draws cost against rule count, the floor with it, as an SVG that needs nothing else. */
import type { MatchFigures } from './match.ts';

const WIDTH = 720;
const HEIGHT = 420;
const MARGIN = { left: 60, right: 200, top: 24, bottom: 44 };
const LABEL_HEIGHT = 14;
const COLOURS = ['#1f6feb', '#bf3989', '#1a7f37', '#9a6700', '#0a7f86', '#8250df', '#bc4c00', '#57606a', '#cf222e'];

export function plot(figures: readonly MatchFigures[]): string {
  const lines = Map.groupBy(figures, nameOf);
  const most = Math.max(2, ...figures.map(({ ratio }) => Math.ceil(ratio)));
  const [least, largest] = [
    Math.min(...figures.map(({ rules }) => rules)),
    Math.max(...figures.map(({ rules }) => rules)),
  ];
  const x = (rules: number) =>
    MARGIN.left + (Math.log(rules / least) / Math.log(largest / least || 2)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (ratio: number) => HEIGHT - MARGIN.bottom - (ratio / most) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const right = WIDTH - MARGIN.right;
  const [floorLabel, ...labels] = apart([y(1), ...[...lines.values()].map((points) => y(points.at(-1)!.ratio))]);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    '<title>CPU per event over the floor, against the number of rules</title>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...Array.from({ length: most + 1 }, (_, ratio) => tick(MARGIN.left, right, y(ratio), String(ratio))),
    ...[...new Set(figures.map(({ rules }) => rules))].map(
      (rules) => `<text x="${x(rules)}" y="${HEIGHT - 22}" text-anchor="middle">${rules.toLocaleString('en')}</text>`,
    ),
    `<line x1="${MARGIN.left}" x2="${right}" y1="${y(1)}" y2="${y(1)}" stroke="#57606a" stroke-dasharray="5 4"/>`,
    `<text x="${right + 8}" y="${floorLabel! + 4}" fill="#57606a">floor: words in a Map</text>`,
    ...[...lines].map(([name, points], index) =>
      line(name, points, { colour: COLOURS[index % COLOURS.length]!, label: labels[index]! }, { x, y }),
    ),
    `<text x="${MARGIN.left}" y="14">CPU per event ÷ floor</text>`,
    `<text x="${right}" y="${HEIGHT - 6}" text-anchor="end">rules</text>`,
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

/** Engine and rate of matches are those of the whole run. */
const nameOf = ({ platform, entities, set }: MatchFigures): string =>
  `${platform === 'x' ? 'posts' : 'pages'} ${set.split(',')[0]}${entities === 'none' ? ', no entities' : ''}`;

const tick = (from: number, to: number, at: number, label: string): string =>
  `<line x1="${from}" x2="${to}" y1="${at}" y2="${at}" stroke="#d8dee4"/><text x="${from - 8}" y="${at + 4}" text-anchor="end">${label}</text>`;

/** The heights of labels that would cover each other: the lower of two is moved down. */
function apart(heights: readonly number[]): number[] {
  const moved = [...heights];
  let least = 0;
  const order = [...heights.keys()].toSorted((a, b) => heights[a]! - heights[b]!);
  for (const index of order) {
    moved[index] = Math.max(heights[index]!, least);
    least = moved[index] + LABEL_HEIGHT;
  }
  return moved;
}

type Scale = (value: number) => number;

function line(
  name: string,
  points: readonly MatchFigures[],
  { colour, label }: { readonly colour: string; readonly label: number },
  { x, y }: { readonly x: Scale; readonly y: Scale },
): string {
  const path = points.map(({ rules, ratio }) => `${x(rules).toFixed(1)},${y(ratio).toFixed(1)}`).join(' ');
  const dots = points.map(
    ({ rules, ratio }) => `<circle cx="${x(rules).toFixed(1)}" cy="${y(ratio).toFixed(1)}" r="3" fill="${colour}"/>`,
  );
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}<text x="${WIDTH - MARGIN.right + 8}" y="${label + 4}" fill="${colour}">${name}</text>`;
}
