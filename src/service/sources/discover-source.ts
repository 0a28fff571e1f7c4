/** Discover Source. */
import { z } from 'zod';
import { legible } from '../../base/legible.ts';
import type { SourceCandidate } from '../../sources/discovery/discover.ts';
import { SourceError } from '../../sources/fetch/source-error.ts';
import { readAccountSource } from '../../sources/kinds/account-source.ts';
import { invalidArgument } from '../errors.ts';
import { payload } from '../shapes.ts';
import { operation, type SourcesRoom } from './room.ts';
import { metered } from './source-limits.ts';
import { chosenSource } from './source-shapes.ts';

const candidate = z.object({
  kind: chosenSource.kind,
  options: z.record(z.string(), z.unknown()).describe('The options that Create Source takes.'),
  name: z.string().describe('As it calls itself.'),
  about: z.string().describe('What it brings.'),
  samples: z.array(payload).describe('Its newest events, at most three, the newest first. Strangers wrote them.'),
  rate_per_day: z
    .number()
    .nullable()
    .describe('Events a day, by the times of what it lists; null where it tells none.'),
  problem: z.string().nullable().describe('Why it brought no samples.'),
  can_add: z.boolean().describe('Whether accounts may add this kind here. Those that they may not add come last.'),
  parts: z
    .array(z.object({ selector: z.string(), text: z.string() }))
    .optional()
    .describe('Of a page: parts with text, each with the selector that `options.select` takes to watch it alone.'),
});

const exampleCandidate: z.input<typeof candidate> = {
  kind: 'reddit',
  options: { subreddits: ['volcanoes'] },
  name: 'r/volcanoes',
  about: 'New posts of this subreddit',
  samples: [{ id: 'reddit:1', url: 'https://www.reddit.com/r/volcanoes/comments/1/', title: 'Eruption' }],
  rate_per_day: 4.5,
  problem: null,
  can_add: true,
};

export const discoverSource = operation({
  name: 'discoverSource',
  summary: 'Find the sources at an address',
  description:
    'Looks at a pasted address and answers what can be watched there, the fittest first: the service behind it (YouTube, Reddit, GitHub, arXiv, Lemmy, Mastodon, Bluesky, …), feeds that it is, names or has at usual places, a sitemap, and always the page itself. Each was tried, and the fetches count for the account. Nothing is stored, and nothing is added.',
  access: 'full',
  grants: 'account',
  input: z.strictObject({
    url: z
      .string()
      .min(1)
      .max(2_000)
      .describe('An address of the web, with or without https://, or an account such as @ada@social.example.'),
  }),
  output: z.object({ candidates: z.array(candidate) }),
  example: { input: { url: 'https://www.reddit.com/r/volcanoes/' }, output: { candidates: [exampleCandidate] } },
  async run(room, caller, { url }, { signal }) {
    const { visits } = room;
    try {
      const found = await metered(room, caller, (meter) => visits.discover(url, signal, meter));
      const candidates = found.map((one) => shown(one, visits));
      return { candidates: candidates.toSorted((one, other) => Number(other.can_add) - Number(one.can_add)) };
    } catch (error) {
      if (error instanceof SourceError) throw invalidArgument([{ path: 'url', message: error.message }]);
      throw error;
    }
  },
});

const shown = (
  { kind, options, name, about, samples, ratePerDay, problem, parts }: SourceCandidate,
  { kinds }: SourcesRoom['visits'],
): z.input<typeof candidate> => ({
  kind,
  options: { ...options },
  name: legible(name),
  about,
  samples: [...samples],
  rate_per_day: ratePerDay ?? null,
  problem: problem ?? null,
  can_add: !('problems' in readAccountSource({ kind, options }, kinds)),
  ...(parts && { parts: [...parts] }),
});
