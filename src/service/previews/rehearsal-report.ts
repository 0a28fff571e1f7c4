/** Reports the result of a rehearsal so far, or in the end. */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { isDemo } from '../../domain/source.ts';
import type { RehearsalSample, StoredRehearsal } from '../../store/store.ts';
import type { Context, Settings } from '../context.ts';
import { storyTitle } from '../reader/story-title.ts';
import { type RehearsalRequest, requestOf } from '../rehearsal/request.ts';
import { missKind, storyKind } from '../rehearsal/samples.ts';
import { intervalsOf, type KeptTally, tallyOf } from '../rehearsal/tally.ts';
import { keptOf } from '../rehearsal/turn.ts';
import { positionOf } from '../rules/rule-problems.ts';
import { highlight, highlightToJson, payload, position, time } from '../shapes.ts';
import { comeInBursts, countsByInterval } from './estimate.ts';

const MONTH_MS = 30 * 24 * 3_600_000;
/** Events over a shorter time say nothing of a month. */
const ENOUGH_FOR_A_RATE_MS = 10 * 60 * 1_000;
const MAX_CLAUSES = 32;
const MAX_LANGUAGES = 20;

const sample = z.object({
  platform_post_id: z.string(),
  at: time.nullable().describe('When it arrived, or was published; null where neither is known.'),
  payload,
  highlights: z.array(highlight),
  demo: z.literal(true).optional().describe('The demo feed invented this event.'),
});

const found = z.object({
  events: z.int().describe('Events of this platform that the rule was tried on.'),
  rejected: z.int().optional().describe('How many of them are no posts or pages that a rule could match.'),
  demo_events: z.int().optional().describe('How many of them the demo feed invented. No estimate counts them.'),
  matched: z.int(),
  from: time.nullable().describe('The time of the oldest of the events.'),
  to: time.nullable(),
  timeline: z
    .object({ seconds: z.int(), counts: z.array(z.object({ at: time, matched: z.int() })) })
    .describe('The matches by intervals of this many seconds. Those without a match are left out.'),
  languages: z
    .array(z.object({ language: z.string(), matched: z.int() }))
    .describe(`Of the matches, the ${MAX_LANGUAGES} most frequent. \`und\`: not known.`),
  stories: z.object({
    count: z.int(),
    largest: z.array(
      z.object({
        title: z.string().nullable().describe('Null when the post that it was taken from was erased.'),
        matches: z.int(),
        from: time,
        to: time,
      }),
    ),
  }),
  near_misses: z
    .array(z.object({ text: z.string(), span: position, missed: z.int(), samples: z.array(sample) }))
    .describe('For each clause that the rule joins by AND: the events that fail by it alone.'),
  month: z
    .object({
      matches: z.number().nullable(),
      cost: z.number().nullable().describe('At the price of a post or page that an upstream delivers.'),
      currency: z.string().nullable().describe('The currency of that cost; null where none is set.'),
      basis: z
        .enum(['whole_stream', 'file', 'archive', 'existing_rules', 'demo', 'too_short'])
        .describe(
          'What the estimate rests on. There is none where the events are those that existing rules caught, where the demo feed invented them all, or where they span less than ten minutes or matched in a few bursts. A file or an archive is taken to be the whole stream.',
        ),
    })
    .describe('What to expect in 30 days.'),
  newest: z.array(sample).describe('The newest matches.'),
  first: z.array(sample).describe('The first matches in time.'),
});

export const rehearsalResult = z.object({
  unreadable: z.int().describe('Records of the history that are no JSON objects.'),
  platforms: z.partialRecord(z.enum(PLATFORMS), found),
});

/** The parts that the report needs beside the rehearsal. */
export interface ReportContext extends Pick<Context, 'languages' | 'platforms'> {
  readonly settings: Pick<Settings, 'prices' | 'currency'>;
}

export function resultOf(
  context: ReportContext,
  { rehearsal, state, samples }: StoredRehearsal,
): z.input<typeof rehearsalResult> {
  const request = requestOf(rehearsal.request);
  const tally = state === undefined ? undefined : keptOf(state).tally;
  const platforms: z.input<typeof rehearsalResult>['platforms'] = {};
  for (const name of PLATFORMS) {
    const kept = tally?.[name];
    const own = samples.filter((one) => one.platform === name);
    if (kept !== undefined) platforms[name] = foundOn(context, request, name, kept, own);
  }
  return { unreadable: tally?.unreadable ?? 0, platforms };
}

function foundOn(
  context: ReportContext,
  request: RehearsalRequest,
  name: Platform,
  kept: KeptTally,
  samples: readonly RehearsalSample[],
): z.input<typeof found> {
  const tally = tallyOf(kept);
  const { events, rejected, demo, matched, from, to } = tally;
  const shown = (kind: string) => samples.filter((one) => one.kind === kind).map(sampleToJson);
  return {
    events,
    ...(rejected > 0 && { rejected }),
    ...(demo.events > 0 && { demo_events: demo.events }),
    matched,
    from: isoOf(from) ?? null,
    to: isoOf(to) ?? null,
    timeline: {
      seconds: tally.timeline.step / 1_000,
      counts: intervalsOf(tally.timeline).map(([at, count]) => ({ at: isoOf(at)!, matched: count })),
    },
    languages: [...tally.languages]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, MAX_LANGUAGES)
      .map(([language, count]) => ({ language, matched: count })),
    stories: storiesOf(kept, samples),
    near_misses: missesOf(context, request, name, tally.missed, shown),
    month: monthOf(context, request, name, kept),
    newest: shown('newest'),
    first: shown('first'),
  };
}

function storiesOf({ stories }: KeptTally, samples: readonly RehearsalSample[]) {
  const largest = stories.sizes
    .toSorted((one, other) => other.size - one.size || one.number - other.number)
    .slice(0, 10)
    .map(({ number, size, first, last }) => {
      const example = samples.find(({ kind }) => kind === storyKind(number));
      return { title: example ? storyTitle(example) : null, matches: size, from: isoOf(first)!, to: isoOf(last)! };
    });
  return { count: stories.count, largest };
}

/** The clauses that kept the most events out, in the order of the text. */
function missesOf(
  { languages }: ReportContext,
  { texts }: RehearsalRequest,
  name: Platform,
  missed: readonly number[],
  shown: (kind: string) => z.input<typeof sample>[],
) {
  const { value } = texts[name]!;
  const clauses = languages[name].clauses(value).map((clause, number) => ({ ...clause, number }));
  // The misses of a rule of one clause are all other events: they say nothing.
  if (clauses.length < 2 || clauses.length !== missed.length) return [];
  return clauses
    .toSorted((one, other) => missed[other.number]! - missed[one.number]!)
    .slice(0, MAX_CLAUSES)
    .toSorted((one, other) => one.start - other.start)
    .map(({ start, end, number }) => ({
      text: value.slice(start, end),
      span: positionOf(value, start, end),
      missed: missed[number]!,
      samples: shown(missKind(number)),
    }));
}

function monthOf(
  { platforms, settings }: ReportContext,
  { history }: RehearsalRequest,
  name: Platform,
  { from, to, matched, events, demo, counts }: KeptTally,
) {
  const none = (basis: 'existing_rules' | 'demo' | 'too_short') => ({
    matches: null,
    cost: null,
    currency: null,
    basis,
  });
  if (history.kind === 'recent' && platforms[name].shape !== 'local') return none('existing_rules');
  if (2 * demo.events > events) return none('demo');
  if (from === null || to === null || to - from < ENOUGH_FOR_A_RATE_MS) return none('too_short');
  if (isUneven(counts, { from, to })) return none('too_short');
  const matches = Math.round(((matched - demo.matched) * MONTH_MS) / (to - from));
  const price = settings.prices?.[name];
  return {
    matches,
    cost: price === undefined ? null : Math.round(matches * price * 100) / 100,
    currency: settings.currency ?? null,
    basis: history.kind === 'recent' ? ('whole_stream' as const) : history.kind,
  };
}

/** As of a preview: a few bursts say nothing of the time between them. */
function isUneven(counts: KeptTally['counts'], span: { readonly from: number; readonly to: number }): boolean {
  const filled = counts.map(([start]) => Math.max(span.from, start));
  const matched = counts.reduce((sum, [, count]) => sum + count, 0);
  return comeInBursts(countsByInterval(filled, span).counts, matched);
}

const sampleToJson = ({ postId, at, payload: body, highlights, source }: RehearsalSample): z.input<typeof sample> => ({
  platform_post_id: postId,
  at: at?.toISOString() ?? null,
  payload: body,
  highlights: highlights.map(highlightToJson),
  ...(isDemo({ source }) ? { demo: true as const } : {}),
});

const isoOf = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();
