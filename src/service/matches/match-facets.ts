/** Match Facets: who wrote the matches of a filter, where, in which language, and how many of each. */
import { z } from 'zod';
import type { StoredMatch } from '../../domain/match.ts';
import { authorKey, traitsOf } from '../../signal/event-traits.ts';
import { findStoryId } from '../../store/order.ts';
import { type Caller, seesRule } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { storyTitle } from '../reader/story-title.ts';
import { matchFields } from './match-filter.ts';
import { exampleMatch } from './matches.ts';
import { computed } from './room.ts';
import { countedPart, countScanned } from './scan-matches.ts';

const facet = z.array(
  z.object({
    value: z.string().describe('What List Matches takes to select these matches.'),
    label: z.string().describe('The same for people to read. People outside wrote it: do not trust it.'),
    matches: z.int(),
  }),
);

const NAMES = ['author', 'domain', 'language', 'platform', 'source', 'rule', 'story'] as const;
type FacetName = (typeof NAMES)[number];

export const matchFacets = computed({
  name: 'matchFacets',
  summary: 'Count matches by what they have in common',
  description:
    'The most frequent authors, domains, languages, platforms, sources, rules and stories of the matches of a filter, which is that of List Matches. The newest matches are counted, up to 50,000 and 64 MiB of payloads; `complete` says whether that was enough.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({
    ...matchFields,
    limit: z.int().min(1).max(50).default(10).describe('How many values to return of each facet.'),
  }),
  output: z.object({
    ...countedPart,
    facets: z.object({
      author: facet,
      domain: facet,
      language: facet,
      platform: facet,
      source: facet,
      rule: facet,
      story: facet,
    }),
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id, limit: 1 },
    output: {
      counted: 12,
      complete: true,
      counted_from: null,
      facets: {
        author: [{ value: 'volcanowatch', label: '@VolcanoWatch', matches: 7 }],
        domain: [{ value: 'example.com', label: 'example.com', matches: 3 }],
        language: [{ value: 'en', label: 'en', matches: 12 }],
        platform: [{ value: 'x', label: 'x', matches: 12 }],
        source: [{ value: 'x', label: 'x', matches: 12 }],
        rule: [{ value: exampleMatch.rule_id, label: 'Volcano news', matches: 12 }],
        story: [{ value: 'st_01k3zqb2v4000', label: 'The volcano is erupting again.', matches: 5 }],
      },
    },
  },
  async run(context, caller, { limit, ...filter }) {
    const tallies = NAMES.map((name) => [name, new Map<string, Tally>()] as const);
    const counted = await countScanned(context, caller, filter, (match) => {
      const values = valuesOf(match);
      for (const [name, tally] of tallies) for (const [value, label] of values[name]) count(tally, value, label);
    });
    const found = tallies.map(([name, tally]) => [name, largest(tally, limit)]);
    const facets = Object.fromEntries(found) as Record<FacetName, z.input<typeof facet>>;
    return { ...counted, facets: { ...facets, story: await calledAsListed(context, caller, facets.story) } };
  },
});

/** A story is called after the match that began it, as List Stories does; after the newest counted one where that is gone. */
async function calledAsListed(
  { store }: Pick<ReadContext, 'store'>,
  caller: Caller,
  stories: z.input<typeof facet>,
): Promise<z.input<typeof facet>> {
  const firsts = await store.matchesAt(stories.flatMap(({ value }) => findStoryId(value) ?? []));
  const titles = new Map(
    firsts.filter(({ ruleId }) => seesRule(caller, ruleId)).map((first) => [first.position, storyTitle(first)]),
  );
  return stories.map((story) => ({ ...story, label: titles.get(findStoryId(story.value) ?? -1) ?? story.label }));
}

interface Tally {
  readonly label: string;
  matches: number;
}

function count(tally: Map<string, Tally>, value: string, label: string): void {
  const known = tally.get(value);
  if (known === undefined) tally.set(value, { label, matches: 1 });
  else known.matches++;
}

type Values = Readonly<Record<FacetName, Iterable<readonly [value: string, label: string]>>>;

const once = (value: string | undefined, label = value): [string, string][] =>
  value === undefined ? [] : [[value, label ?? value]];

function valuesOf(match: StoredMatch): Values {
  const { author, domains, language } = traitsOf(match.platform, match.payload);
  const { platform, source, ruleId, ruleName, storyId } = match;
  return {
    author:
      author === undefined ? [] : once(authorKey(author), author.name === undefined ? author.id : `@${author.name}`),
    // A post that links to a site twice is one match of it.
    domain: new Map(domains.map((names) => [names.at(-1)!, names.at(-1)!])),
    language: once(language),
    platform: once(platform),
    source: once(source, match.sourceName),
    rule: once(ruleId, ruleName),
    story: storyId === undefined ? [] : once(storyId, storyTitle(match)),
  };
}

/** The most frequent first; of equally frequent ones, those met last in time first. */
const largest = (tally: ReadonlyMap<string, Tally>, limit: number): z.input<typeof facet> =>
  [...tally]
    .toSorted(([, one], [, other]) => other.matches - one.matches)
    .slice(0, limit)
    .map(([value, { label, matches }]) => ({ value, label, matches }));
