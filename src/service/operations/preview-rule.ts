/** Preview Rule: what a rule would have matched of the events seen lately. It creates nothing. */
import { z } from 'zod';
import { createPauses } from '../../base/cooperate.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { ViewLookup } from '../../engine/explain/view-lookup.ts';
import { createEngine } from '../../engine/index/engine.ts';
import type { RecentEvent } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { matchInSlices } from '../ingest/match-in-slices.ts';
import { queryOf, type RuleText, textsOf } from '../rule-text.ts';
import { highlight, highlightToJson, options, overrides, payload, platform, time } from '../shapes.ts';
import { operation } from './operation.ts';
import { problemsOfTexts } from './rule-problems.ts';

const DAY = 24 * 60 * 60 * 1_000;
/** Words between two pauses, a few milliseconds of work, and what an event and a step of its highlights cost beside them. */
const SLICE = 8_000;
const EVENT_COST = 50;
const STEP_COST = 0.2;
/** Columns of the histogram. */
const COLUMNS = 48;

const found = z.object({ platform_post_id: z.string(), at: time, payload, highlights: z.array(highlight) });
const preview = z.object({
  events: z.int().describe('How many recent events were looked at.'),
  matched: z.int(),
  from: time.nullable().describe('When the oldest of them arrived.'),
  to: time.nullable().describe('When the newest of them arrived.'),
  basis: z
    .enum(['whole_stream', 'existing_rules'])
    .describe('What the recent events are: all that arrived, or only what existing rules caught.'),
  rate_per_day: z.number().optional().describe('Only where the basis is the whole stream.'),
  histogram: z
    .array(z.object({ at: time.describe('The start of the interval.'), matched: z.int() }))
    .optional()
    .describe('Those that matched, if any, over equal parts of the time from the oldest event to now.'),
  matches: z.array(found).describe('The newest first.'),
});

export const previewRule = operation({
  name: 'previewRule',
  summary: 'Try a rule on recent events',
  description:
    'Tries the texts on the events that arrived lately and says how many each would have matched, over what span of time, with up to `limit` of them. Creates nothing.',
  access: 'read',
  input: z.strictObject({
    platforms: z.array(platform).min(1).max(PLATFORMS.length),
    overrides,
    limit: z.int().min(1).max(100).default(10),
    options: options.optional(),
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
          rate_per_day: 288,
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
  async run(context, { account }, { overrides: given, limit, options: flags }, { signal }) {
    const texts = textsOf(given, flags);
    const platforms: Partial<Record<Platform, z.input<typeof preview>>> = {};
    for (const name of PLATFORMS) {
      const text = texts[name];
      if (text === undefined) continue;
      // Going through the ring is the heaviest thing a caller can ask for: one at a time, whoever asks.
      platforms[name] = await context.turns.inTurn('preview', () =>
        tryOn(context, account.id, name, text, limit, signal),
      );
    }
    return { platforms };
  },
});

async function tryOn(
  context: Context,
  accountId: string,
  name: Platform,
  text: RuleText,
  limit: number,
  signal: AbortSignal,
): Promise<z.input<typeof preview>> {
  const { store, clock, languages, platforms, settings } = context;
  const query = queryOf(languages[name], text)!;
  const analyze = newAnalyzer(name);
  const now = clock.now().getTime();
  // An engine of one rule: it reads patterns once, however many events there are.
  const engine = createEngine({ now: () => now });
  engine.put('preview', query);
  const pause = createPauses(SLICE);
  const matches: z.input<typeof found>[] = [];
  const times: number[] = [];
  let [events, matched] = [0, 0];
  let [newest, oldest]: (Date | undefined)[] = [];

  for await (const slice of store.recentEvents(accountId, name, settings.recentEvents)) {
    for (const recent of slice) {
      events++;
      newest ??= recent.at;
      oldest = recent.at;
      const pausing = pause((await tryEvent(recent)) + EVENT_COST);
      if (pausing !== undefined) await pausing;
    }
    if (signal.aborted) break;
  }
  const whole = platforms[name].shape === 'local';
  const days = oldest === undefined ? 0 : Math.max(now - oldest.getTime(), 1) / DAY;
  return {
    events,
    matched,
    from: oldest?.toISOString() ?? null,
    to: newest?.toISOString() ?? null,
    basis: whole ? 'whole_stream' : 'existing_rules',
    ...(whole && days > 0 ? { rate_per_day: Math.round((matched / days) * 100) / 100 } : {}),
    ...(oldest !== undefined && times.length > 0 ? { histogram: histogramOf(times, oldest.getTime(), now) } : {}),
    matches,
  };

  /** Answers what it cost, in words. */
  async function tryEvent({ event, at }: RecentEvent): Promise<number> {
    const view = analyze(event.payload);
    if (isRejection(view)) return 0;
    const { count } = view.words;
    if ((await matchInSlices(engine, view)).matches.length === 0) return count;
    times.push(at.getTime());
    if (matched++ >= limit) return count;
    const lookup = new ViewLookup(view, now);
    matches.push({
      platform_post_id: event.postId,
      at: at.toISOString(),
      payload: event.payload,
      highlights: highlights(query, lookup).map(highlightToJson),
    });
    return count + lookup.steps * STEP_COST;
  }
}

function histogramOf(times: readonly number[], from: number, to: number) {
  const step = Math.max(1, Math.ceil((to - from + 1) / COLUMNS));
  const columns = Array.from({ length: Math.ceil((to - from + 1) / step) }, () => 0);
  for (const at of times) columns[Math.min(Math.floor((at - from) / step), columns.length - 1)]!++;
  return columns.map((matched, index) => ({ at: new Date(from + index * step).toISOString(), matched }));
}
