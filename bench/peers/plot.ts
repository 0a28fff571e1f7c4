/** Draws events per CPU-second against rules, both by powers of ten, one panel for each platform and set. */
import { COLOURS, legend, logPanel, PANEL, type Point, scalesFor } from '../log-panel.ts';
import type { PeerFigures } from './figures.ts';

const LEGEND_LINE = 18;

const pointsOf = (figures: readonly PeerFigures[]): Point[] =>
  figures.flatMap((one) => ('absent' in one ? [] : [{ size: one.rules, value: one.eventsPerSecond }]));

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
    const lines = [...Map.groupBy(own, ({ peer }) => peer)].map(([peer, its]) => ({
      colour: COLOURS[names.indexOf(peer) % COLOURS.length]!,
      points: pointsOf(its),
    }));
    return `<g transform="translate(${left} ${top})">${logPanel(title, lines, scales)}</g>`;
  });
  const height = below + names.length * LEGEND_LINE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>Events per CPU-second against the number of rules</title>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    ...names.map((name, index) =>
      legend(name, COLOURS[index % COLOURS.length]!, { x: PANEL.left, y: below + index * LEGEND_LINE }),
    ),
    '</svg>\n',
  ].join('\n');
}
