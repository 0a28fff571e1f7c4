/** The figures as a table of Markdown, and as lines for a terminal. */
import type { PeerFigures } from './figures.ts';

const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** Events per CPU-second: a row for each contender, a column for each number of rules. */
export function tableOf(figures: readonly PeerFigures[]): string {
  return [...Map.groupBy(figures, ({ platform, set }) => `${platform === 'x' ? 'Posts' : 'Pages'}, set ${set}`)]
    .map(([title, ofSet]) => tableOfSet(title, ofSet))
    .join('\n\n');
}

function tableOfSet(title: string, figures: readonly PeerFigures[]): string {
  const sizes = [...new Set(figures.map(({ rules }) => rules))];
  const rows = [...Map.groupBy(figures, ({ peer }) => peer)].map(([peer, own]) => {
    const cells = sizes.map((size) => speedCell(own.find(({ rules }) => rules === size)));
    return `| ${[peer, ...cells, ...lastCells(own.at(-1)!)].join(' | ')} |`;
  });
  const head = [
    title,
    ...sizes.map((size) => `${whole(size)} rules`),
    'Rules it has',
    'Put a CPU-second',
    'Bytes a rule',
    'Same matches',
    'Only ours / theirs',
  ];
  return [`| ${head.join(' | ')} |`, `|---|${'--:|'.repeat(head.length - 1)}`, ...rows].join('\n');
}

function speedCell(figures: PeerFigures | undefined): string {
  if (figures === undefined) return '';
  return 'absent' in figures ? '–' : whole(figures.eventsPerSecond);
}

/** The cells of the largest number of rules. */
function lastCells(figures: PeerFigures): string[] {
  if ('absent' in figures) return [figures.absent, '', '', '', ''];
  const { taken, rules, loadSeconds, bytes, same, onlyOurs, onlyTheirs } = figures;
  return [
    `${whole((taken / rules) * 100)} %`,
    whole(taken / loadSeconds),
    whole(bytes / taken),
    whole(same),
    `${whole(onlyOurs)} / ${whole(onlyTheirs)}`,
  ];
}

export function describePeer(figures: PeerFigures): string {
  const { platform, set, rules, peer } = figures;
  const title = `${platform}, set ${set}, ${whole(rules)} rules, ${peer}: `;
  if ('absent' in figures) return title + figures.absent;
  const { eventsPerSecond, events, matchesPerEvent, taken, loadSeconds, bytes, same, onlyOurs, onlyTheirs } = figures;
  return [
    `${title}${whole(eventsPerSecond)} events per CPU-second (${whole(events)} events, ${matchesPerEvent.toFixed(1)} found in each)`,
    `  loaded in ${loadSeconds.toFixed(1)} s of CPU, ${whole(bytes / taken)} bytes a rule; ${whole(rules - taken)} rules left out; matches on the others: ${whole(same)} the same, ${whole(onlyOurs)} only ours, ${whole(onlyTheirs)} only theirs`,
  ].join('\n');
}
