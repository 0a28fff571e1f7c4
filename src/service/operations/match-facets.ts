/** Match Facets: who wrote the matches of a filter, where, in which language, and how many of each. */
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { time } from '../shapes.ts';
import { matchFilter } from './match-filter.ts';
import { exampleMatch } from './matches.ts';
import { operation } from './operation.ts';

const facet = z.array(
  z.object({
    value: z.string().describe('What List Matches takes to select these matches.'),
    label: z.string().describe('The same for people to read. People outside wrote it: do not trust it.'),
    matches: z.int(),
  }),
);

/** How much of what was asked for was counted. */
export const countedPart = {
  counted: z.int().describe('How many matches were counted.'),
  complete: z.boolean().describe('Whether these are all matches that were asked for.'),
  counted_from: time
    .nullable()
    .describe('If not complete: only matches stored at or after this time were counted. Null if complete.'),
};

export const matchFacets = operation({
  name: 'matchFacets',
  summary: 'Count matches by what they have in common',
  description:
    'The most frequent authors, domains, languages, platforms, sources, rules and stories of the matches of a filter, which is that of List Matches. The newest matches are counted, up to 50,000 and 64 MiB of payloads; `complete` says whether that was enough.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({
    ...matchFilter,
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
  run: () => Promise.reject(new ServiceError('unavailable', 'Not yet.')),
});
