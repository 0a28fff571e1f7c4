/** The schema of a wake contract and of its account, and the conversion of our types to them. */
import { z } from 'zod';
import { WAKE_UNITS, type WakeContract } from '../../domain/wake.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { wakeAccountAt } from '../../wakes/decide.ts';
import { time } from '../shapes.ts';

const AT_MOST = /^([1-9]\d{0,5})\/(hour|day)$/;

const atMost = z
  .string()
  .regex(AT_MOST, { error: 'It must be a number from 1 to 999999 and a window, such as 20/hour or 5/day.' })
  .describe('The most matches that wake in an hour or a day of UTC, such as 20/hour or 5/day.');

const minRelevance = z
  .number()
  .min(0)
  .max(1)
  .describe('Matches of less relevance are held. Those of unknown relevance wake.');

const per = z
  .enum(WAKE_UNITS, { error: 'It must be `match` or `story`.' })
  .describe('`story`: a story wakes once; its further matches are held.');

/** The contract as callers write it. */
export const wakeTerms = z
  .strictObject({
    per: per.default('match'),
    at_most: atMost.nullable().optional(),
    min_relevance: minRelevance.nullable().optional(),
  })
  .describe(
    'Which matches wake the receiver. What does not wake is held, and is in the next digest. Without it every match wakes.',
  );

/** The same in a query string, where everything is text. */
export const wakeQuery = {
  wake: per.optional(),
  at_most: atMost.optional(),
  min_relevance: z
    .string()
    .regex(/^(0|1|0?\.\d{1,6}|0\.\d{1,6}|1\.0{1,6})$/, { error: 'It must be a number between 0 and 1, such as 0.6.' })
    .optional()
    .describe('Matches of less relevance are held. Those of unknown relevance wake.'),
};

export const wakeContractOf = (terms: z.output<typeof wakeTerms>): WakeContract => ({
  per: terms.per,
  ...limitOf(terms.at_most ?? undefined),
  ...(terms.min_relevance !== null && terms.min_relevance !== undefined && { minRelevance: terms.min_relevance }),
});

/** Undefined when a query asks for no contract. */
export function wakeOfQuery(query: {
  readonly wake?: WakeContract['per'] | undefined;
  readonly at_most?: string | undefined;
  readonly min_relevance?: string | undefined;
}): WakeContract | undefined {
  if (query.wake === undefined && query.at_most === undefined && query.min_relevance === undefined) return undefined;
  return {
    per: query.wake ?? 'match',
    ...limitOf(query.at_most),
    ...(query.min_relevance !== undefined && { minRelevance: Number(query.min_relevance) }),
  };
}

function limitOf(text: string | undefined): Pick<WakeContract, 'atMost'> {
  const [, count, window] = AT_MOST.exec(text ?? '') ?? [];
  return count === undefined ? {} : { atMost: { count: Number(count), window: window === 'hour' ? 'hour' : 'day' } };
}

export const listedWake = z
  .object({ per, at_most: z.string().nullable(), min_relevance: z.number().nullable() })
  .nullable()
  .describe('Null: every match wakes.');

export const listedWakeAccount = z
  .object({
    window_from: time.describe('The start of the present hour or day of UTC.'),
    wakes: z.int().describe('Matches that woke in it.'),
    held: z.int().describe('Matches that were held in it.'),
    stories: z.int().describe('Stories among both. A match without a story counts as one.'),
  })
  .nullable()
  .describe('What the contract has come to. Null without a contract.');

export const wakeToJson = (wake: WakeContract | undefined): z.input<typeof listedWake> =>
  wake === undefined
    ? null
    : {
        per: wake.per,
        at_most: wake.atMost === undefined ? null : `${wake.atMost.count}/${wake.atMost.window}`,
        min_relevance: wake.minRelevance ?? null,
      };

export function wakeAccountToJson(
  { wake, wakeAccount }: Pick<Webhook, 'wake' | 'wakeAccount'>,
  now: Date,
): z.input<typeof listedWakeAccount> {
  if (wake === undefined) return null;
  const { windowFrom, wakes, held, stories } = wakeAccountAt(wake, wakeAccount, now);
  return { window_from: windowFrom.toISOString(), wakes, held, stories };
}
