/** Preview Rule: which recent events a rule would have matched. It creates nothing. */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { isDemo } from '../../domain/source.ts';
import { queryOf, type RuleText, textsOfRequest } from '../../rules/rule-text.ts';
import type { ReadContext } from '../context.ts';
import { problemsOfTexts } from '../rules/rule-problems.ts';
import { highlight, highlightToJson, options, overrides, payload, platform, time } from '../shapes.ts';
import { countsByInterval, estimateOf } from './estimate.ts';
import { computed } from './room.ts';
import {
  createShownEvents,
  differenceOnRecent,
  type OnlyOne,
  type ShownEvents,
  type TextDifference,
  type Tried,
  type TriedEvent,
  type TryOut,
  tryOnRecent,
} from './try-on-recent.ts';

/** A share of fewer events says nothing. */
const ENOUGH_FOR_A_SHARE = 1_000;

export const found = z.object({
  platform_post_id: z.string(),
  at: time,
  payload,
  highlights: z.array(highlight),
  demo: z.literal(true).optional().describe('The demo feed invented this event.'),
});
export const basisOf = z
  .enum(['whole_stream', 'existing_rules'])
  .describe('What the recent events are: all that arrived, or only what existing rules caught.');
export const incomplete = z
  .literal(false)
  .optional()
  .describe('Given where the rule takes so long to try that only the newest of the recent events were looked at.');
const onlyOne = z.object({
  matched: z.int(),
  rate_per_day: z.number().nullable().describe('Null where that of the preview is.'),
  matches: z.array(found).describe('Newest first.'),
});
export const preview = z.object({
  events: z.int().describe('How many recent events the rule was tried on.'),
  complete: incomplete,
  matched: z.int(),
  from: time.nullable().describe('When the oldest of them arrived.'),
  to: time.nullable().describe('When the newest of them arrived.'),
  basis: z
    .enum(['whole_stream', 'existing_rules', 'demo', 'too_short'])
    .describe(
      'What `rate_per_day` rests on. Only the whole stream gives one. There is none where the events are those that existing rules caught, where the demo feed invented most of them, or where they span less than ten minutes or came in a few bursts.',
    ),
  demo_events: z
    .int()
    .optional()
    .describe('How many of the events the demo feed invented. No rate or share counts them.'),
  demo_matched: z.int().optional().describe('How many of those that match the demo feed invented.'),
  share: z
    .number()
    .optional()
    .describe(
      'Share of all recent events that it matches, 0 to 1. Only of the whole stream, and of 1,000 events or more.',
    ),
  rate_per_day: z.number().nullable().describe('Two digits. Null unless `basis` is `whole_stream`.'),
  rate_range: z
    .object({ low: z.number(), high: z.number() })
    .nullable()
    .optional()
    .describe(
      'Where the number of a day lies in nine of ten cases, by how evenly matches came. Null where the rate is.',
    ),
  estimate: z.string().optional().describe('The estimate and what it rests on, in words; or why nothing can be said.'),
  price: z
    .object({ per_match: z.number(), currency: z.string().nullable() })
    .optional()
    .describe(
      'What the upstream takes for one match. Absent on a platform that Sluice matches itself: that costs nothing.',
    ),
  histogram: z
    .array(z.object({ at: time.describe('The start of the interval.'), matched: z.int() }))
    .optional()
    .describe('The matching events over time: equal intervals from the oldest event to now. Absent if none matched.'),
  matches: z.array(found).describe('Newest first.'),
  difference: z
    .object({
      added: onlyOne.describe('What only the new text matches.'),
      removed: onlyOne.describe('What only the text that it replaces matches.'),
    })
    .nullable()
    .optional()
    .describe('Only with `instead_of`. Null if the text there is no valid rule.'),
});

export const previewRule = computed({
  name: 'previewRule',
  summary: 'Try a rule on recent events',
  description:
    'Tries the texts on recent events. Returns how many each would have matched, over which time, and up to `limit` of the matches, as long as they have no more than about a megabyte together. Creates nothing.',
  access: 'read',
  grants: 'account',
  input: z.strictObject({
    platforms: z.array(platform).min(1).max(PLATFORMS.length),
    overrides,
    limit: z.int().min(1).max(100).default(10),
    options: options.optional(),
    instead_of: z
      .strictObject({ overrides, options: options.optional() })
      .optional()
      .describe('The texts that these replace. The answer then has the `difference` between both.'),
  }),
  output: z.object({ platforms: z.partialRecord(z.enum(PLATFORMS), preview) }),
  example: {
    input: { platforms: ['x'], overrides: { x: 'volcano' }, limit: 1 },
    output: {
      platforms: {
        x: {
          events: 50_000,
          matched: 12,
          from: '2026-11-15T07:30:00.000Z',
          to: '2026-11-15T08:30:00.123Z',
          basis: 'whole_stream',
          rate_per_day: 290,
          rate_range: { low: 150, high: 460 },
          estimate: '150 to 460 a day, judged by 50000 events over 60 minutes',
          histogram: [
            { at: '2026-11-15T07:30:00.000Z', matched: 4 },
            { at: '2026-11-15T08:00:00.000Z', matched: 8 },
          ],
          matches: [
            {
              platform_post_id: '1989234567890123456',
              at: '2026-11-15T08:30:00.123Z',
              payload: { data: { id: '1989234567890123456', text: 'The volcano is erupting again.' } },
              highlights: [{ field: 'data.text', start: 4, end: 11 }],
            },
          ],
        },
      },
    },
  },
  problems: problemsOfTexts,
  async run(context, { account }, { overrides: given, limit, options: flags, instead_of: old }) {
    const texts = textsOfRequest(given, flags);
    const before = old === undefined ? {} : textsOfRequest(old.overrides, old.options);
    const platforms: Partial<Record<Platform, z.input<typeof preview>>> = {};
    const shown = createShownEvents();
    for (const name of PLATFORMS) {
      const text = texts[name];
      if (text === undefined) continue;
      const asked = { accountId: account.id, name, text, before: before[name], limit, shown };
      platforms[name] = await tryOn(context, asked);
    }
    return { platforms };
  },
});

interface Asked {
  readonly accountId: string;
  readonly name: Platform;
  readonly text: RuleText;
  /** The text that it replaces. */
  readonly before: RuleText | undefined;
  readonly limit: number;
  readonly shown: ShownEvents;
}

async function tryOn(
  context: ReadContext,
  { accountId, name, text, before, limit, shown }: Asked,
): Promise<z.input<typeof preview>> {
  const { store, languages, platforms, settings } = context;
  const now = context.clock.now().getTime();
  const trial: TryOut = { platform: name, query: queryOf(languages[name], text)!, limit, shown };
  const recent = () => store.recentEvents(accountId, name, settings.recentEvents);
  const isWhole = platforms[name].shape === 'local';
  const price = settings.prices?.[name];
  const answer = {
    ...previewOf(await tryOnRecent(recent(), trial, context), now, isWhole),
    ...(!isWhole && price !== undefined && { price: { per_match: price, currency: settings.currency ?? null } }),
  };
  if (before === undefined) return answer;
  const was = queryOf(languages[name], before);
  const difference = was === undefined ? null : await differenceOnRecent(recent(), trial, was, context);
  return { ...answer, difference: difference && differenceToJson(difference, now, isWhole) };
}

function differenceToJson({ added, removed, lookedAt }: TextDifference, now: number, isWhole: boolean) {
  const side = ({ matched, realTimes, matches }: OnlyOne) => ({
    matched,
    rate_per_day: estimateOf(lookedAt, realTimes, { now, isWhole }).rate,
    matches: matches.map(foundToJson),
  });
  return { added: side(added), removed: side(removed) };
}

function previewOf(tried: Tried, now: number, isWhole: boolean): z.input<typeof preview> {
  const { events, complete, newest, oldest, times, matches, real, realTimes } = tried;
  const { basis, rate, range, said } = estimateOf(tried, realTimes, { now, isWhole });
  return {
    events,
    ...(!complete && { complete }),
    matched: times.length,
    from: oldest?.toISOString() ?? null,
    to: newest?.toISOString() ?? null,
    basis,
    ...(real.events < events
      ? { demo_events: events - real.events, demo_matched: times.length - realTimes.length }
      : {}),
    ...(isWhole && real.events >= ENOUGH_FOR_A_SHARE
      ? { share: Math.round((realTimes.length / real.events) * 10_000) / 10_000 }
      : {}),
    rate_per_day: rate,
    rate_range: range,
    estimate: complete ? said : `${said}; only the newest events were tried, because the rule takes long`,
    ...(oldest !== undefined && times.length > 0 ? { histogram: histogramOf(times, oldest.getTime(), now) } : {}),
    matches: matches.map(foundToJson),
  };
}

export const foundToJson = ({ postId, at, payload: body, highlights, source }: TriedEvent): z.input<typeof found> => ({
  platform_post_id: postId,
  at: at.toISOString(),
  payload: body,
  highlights: highlights.map(highlightToJson),
  ...(isDemo({ source }) ? { demo: true as const } : {}),
});

function histogramOf(times: readonly number[], from: number, to: number) {
  const { step, counts } = countsByInterval(times, { from, to });
  return counts.map((matched, index) => ({ at: new Date(from + index * step).toISOString(), matched }));
}
