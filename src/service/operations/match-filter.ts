/** Which matches a caller asks for: the same fields for lists, facets and counts. */
import { z } from 'zod';
import { characters, instant, platform, rating, ruleId } from '../shapes.ts';

export const matchFilter = {
  rule_id: ruleId.optional(),
  platform: platform.optional(),
  story_id: z.string().optional().describe('Only matches of this story.'),
  event_id: z
    .string()
    .optional()
    .describe(
      'Only matches of this post or page. Those that were stored before stories were told apart are not found by it.',
    ),
  since: instant.optional().describe('Only matches stored at or after this time.'),
  until: instant.optional().describe('Only matches stored before this time.'),
  text: characters(1, 200)
    .optional()
    .describe('Only matches whose text or title contains this, in upper or lower case.'),
  author: characters(1, 200).optional().describe('Only posts by this author: a name with or without `@`, or an id.'),
  domain: characters(1, 253)
    .optional()
    .describe('Only pages of this domain, and posts that link to it; its subdomains count.'),
  language: characters(1, 35).optional().describe('Only events in this language, for instance `en`.'),
  source: characters(1, 200).optional().describe('Only events that this source brought, as in `source` of a match.'),
  rating: rating.optional().describe('Only matches that were rated so.'),
};
