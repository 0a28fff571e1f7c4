/** How sources are given and shown. */
import { z } from 'zod';
import { PLATFORMS } from '../../domain/platform.ts';
import { SOURCE_STATUSES } from '../../domain/source.ts';
import { payload, platform, time, visibleName } from '../shapes.ts';

export const sourceId = z.string().max(100).describe('The id of a source, as Create Source returned it.');

/** The fields that its owner chooses. */
export const chosenSource = {
  kind: z.string().max(40).describe('What it is, such as `feeds` or `watch`. `docs/sources.md` lists the kinds.'),
  name: visibleName(1, 200).describe('Shown with every match.'),
  options: z
    .record(z.string().max(100), z.unknown())
    .refine((options) => JSON.stringify(options).length <= 64 * 1024, 'It must have at most 65,536 characters as JSON.')
    .describe(
      'The options of the kind, as in `sluice.yaml`. `every` is the shortest time between two visits and `slowest` the longest, both in seconds. `secret` (a token, or an object of headers) goes to the host of the source alone, is sealed, and is never shown.',
    ),
  platforms: z
    .array(platform)
    .min(1)
    .max(PLATFORMS.length)
    .describe(
      'Where its events go. Kinds that bring posts feed both unless this says otherwise; others feed `firehose`.',
    ),
};

export const listedSource = z.object({
  id: z.string().describe('Also what `source` says in matches. The id of a source of the operator is its name.'),
  name: z.string(),
  kind: z.string(),
  options: z
    .record(z.string(), z.unknown())
    .describe('Without secrets. The query of an address is `***` for a key that may not change the source.'),
  secrets: z.array(z.string()).describe('The names of what is set and never shown.'),
  platforms: z.array(z.enum(PLATFORMS)),
  owner: z
    .enum(['account', 'operator'])
    .describe('Sources of the operator feed all accounts, and cannot be changed here.'),
  status: z
    .enum(SOURCE_STATUSES)
    .describe(
      '`ok`: it brings events. `silent`: it answers, and nothing is new. `failing`: it does not answer as it should. `blocked`: it refuses us (401, 403 or robots.txt). `moved`: it answers from another address for good; change the source. `changed`: what it answers cannot be read any more. `paused`. `waiting`: it was not visited yet, or a limit of the account keeps it.',
    ),
  last_good_at: time.nullable().describe('When it was last visited and answered as it should.'),
  last_error: z
    .object({ at: time, message: z.string() })
    .nullable()
    .describe('Null when the last visit was good and the source has not moved.'),
  next_at: time
    .nullable()
    .describe('When it is visited next; null while it is paused, and for sources of the operator.'),
  rate: z.number().nullable().describe('Events a day, of the last days; null where nobody counts them.'),
  events: z.int().describe('Events that it brought the account.'),
  created_at: time.nullable(),
});

export const exampleSource: z.input<typeof listedSource> = {
  id: 'source_01k3zqf2b4d6h8k0n2q4s6v8x0',
  name: 'Volcano Observatory',
  kind: 'feeds',
  options: { urls: ['https://volcano.example/feed.xml'], every: 900, pause: 1, first: 'whole' },
  secrets: ['secret'],
  platforms: ['firehose'],
  owner: 'account',
  status: 'ok',
  last_good_at: '2026-11-15T08:30:00.123Z',
  last_error: null,
  next_at: '2026-11-15T08:45:00.123Z',
  rate: 4.5,
  events: 31,
  created_at: '2026-11-01T10:00:00.000Z',
};

export const testedEvents = z.array(z.object({ platform: z.enum(PLATFORMS), event: payload }));
