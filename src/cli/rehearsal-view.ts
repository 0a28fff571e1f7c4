/** Shows people the result of a rehearsal. */
import type { Answer } from '../../packages/client/src/index.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { facts, out, plain } from './output.ts';

type Answered = NonNullable<Answer<'getRehearsal'>['result']['platforms']['x']>;
type Sample = Pick<Answered['newest'][number], 'at' | 'payload'>;
type Missed = Pick<Answered['near_misses'][number], 'text' | 'missed'>;
type Figures = 'events' | 'matched' | 'from' | 'to' | 'stories' | 'languages' | 'month' | 'timeline';
type Found = Pick<Answered, Figures> & {
  readonly near_misses: readonly Missed[];
  readonly newest: readonly Sample[];
};

/** The result of a server, or of a file that was read here. */
interface RehearsalResult {
  readonly unreadable: number;
  readonly platforms: Readonly<Partial<Record<Platform, Found>>>;
}

const SHOWN = 5;

export function describeRehearsal({ unreadable, platforms }: RehearsalResult): string {
  const parts = PLATFORMS.flatMap((name) => {
    const found = platforms[name];
    return found === undefined ? [] : [`${out.bold(name)}\n${describeFound(found)}`];
  });
  const passed = unreadable === 0 ? [] : [`${unreadable} records are no JSON objects and were passed over.`];
  return [...parts, ...passed].join('\n\n');
}

function describeFound(found: Found): string {
  const { events, matched, from, to, stories, languages, near_misses, newest } = found;
  const lines = facts([
    ['matches', `${matched} of ${events} events`],
    ['time', from === null || to === null ? '-' : `${from} to ${to}`],
    ['in a month', monthOf(found)],
    ['most in', busiest(found)],
    [
      'languages',
      languages
        .slice(0, SHOWN)
        .map(({ language, matched: count }) => `${plain(language)} ${count}`)
        .join(', ') || '-',
    ],
    ['stories', String(stories.count)],
  ]);
  const told = stories.largest
    .slice(0, SHOWN)
    .map(({ title, matches }) => `  ${matches} × ${plain(title ?? 'erased', 100)}`);
  const missed = near_misses
    .filter((one) => one.missed > 0)
    .map(({ text, missed: count }) => `  ${count} by ${plain(text, 80)} alone`);
  const samples = newest.slice(0, SHOWN).map(({ at, payload }) => `  ${at ?? '-'}  ${plain(textOf(payload), 100)}`);
  return [
    lines,
    ...told,
    ...(missed.length > 0 ? [out.dim('near misses'), ...missed] : []),
    ...(samples.length > 0 ? [out.dim('newest'), ...samples] : []),
  ].join('\n');
}

const BASES: Readonly<Record<Found['month']['basis'], string>> = {
  whole_stream: 'of the whole stream',
  file: 'if the file is the whole stream',
  archive: 'of the archive',
  existing_rules: 'no estimate: only events that existing rules caught',
  demo: 'no estimate: the demo feed invented these events',
  too_short: 'no estimate: the events span less than ten minutes, or matched in a few bursts',
};

function monthOf({ month: { matches, cost, currency, basis } }: Found): string {
  if (matches === null) return BASES[basis];
  const price = cost === null ? '' : `, which an upstream would sell for ${currency ?? ''} ${cost}`;
  return `${matches} matches${price} (${BASES[basis]})`;
}

function busiest({ timeline: { seconds, counts } }: Found): string {
  const most = counts.toSorted((one, other) => other.matched - one.matched)[0];
  return most === undefined ? '-' : `the ${seconds / 60} min from ${most.at}: ${most.matched}`;
}

function textOf(payload: Record<string, unknown>): string {
  const { data, title, url } = payload as { data?: { text?: unknown }; title?: unknown; url?: unknown };
  const [text] = [data?.text, title, url].filter((one) => typeof one === 'string');
  return text ?? '';
}
