/** How suggestions look in an answer. */
import { z } from 'zod';
import { listedMatch, platform, time } from '../shapes.ts';

/** Matches of one suggestion that are shown. */
export const MAX_LOST_SHOWN = 20;

export const suggestion = z.object({
  id: z.string(),
  platform,
  kind: z
    .enum(['exclude', 'narrow', 'widen'])
    .describe('`exclude`: a word keeps noise out. `narrow`: a word must be there. `widen`: more than before matches.'),
  change: z.string().describe('What is added, left out or made wider.'),
  value: z.string().describe('The whole new text. Update Rule applies it.'),
  effect: z
    .object({
      irrelevant_removed: z.int(),
      irrelevant_total: z.int(),
      relevant_lost: z.int(),
      relevant_total: z.int(),
      recent_removed: z.int().describe('Of the newest matches, up to 2,000, rated or not.'),
      recent_total: z.int(),
      relevant_lost_upper: z
        .number()
        .describe(
          'At most this share of what is wanted is lost: the upper end of the 95 % interval. 1 where nothing is known of what is wanted.',
        ),
      relevant_lost_basis: z
        .enum(['rated', 'unrated'])
        .describe(
          'What the bound rests on. `rated`: the matches that were rated relevant. `unrated`: these, and the recent ones without a rating, each counted as wanted.',
        ),
      unrated_removed: z.int().describe('Of the newest matches, those without a rating.'),
      unrated_total: z.int(),
      recent_added: z.int().describe('Recent events that the rule does not match and the new text does.'),
      demo_added: z.int().optional().describe('How many of those the demo feed invented.'),
    })
    .describe('Counted are matches that the text of now matches.'),
  lost: z.array(listedMatch).describe(`The relevant matches that would be lost, up to ${MAX_LOST_SHOWN} of them.`),
  unrated_removed: z
    .array(listedMatch)
    .describe('Recent matches without a rating that would go: look whether one is wanted. The newest, up to five.'),
});

export const asked = z
  .array(listedMatch)
  .describe(
    'Matches without a rating, up to three for each platform, whose ratings would decide most: rate them, then ask again.',
  );

export const checked = z.object({
  id: z.string(),
  platform,
  value: z.string(),
  applied_at: time,
  predicted_removed_share: z.number().describe('Of the rule’s matches. Negative: it was to match more.'),
  actual_removed_share: z
    .number()
    .nullable()
    .describe('On the events since then. Null where they are too few, or are only those that existing rules caught.'),
  events_matched_before: z.int().nullable().describe('Events since then that the text before would have matched.'),
});
