/** Status of a platform with an upstream: its stream, slots, gaps and cost. */
import { z } from 'zod';
import { monthOf, monthText } from '../../base/clock.ts';
import type { Account } from '../../domain/account.ts';
import type { Platform } from '../../domain/platform.ts';
import { STREAM_STATES, type StreamState } from '../../platforms/platform.ts';
import type { Caller } from '../access/caller.ts';
import { isOperator } from '../access/keys.ts';
import { isFresh } from '../coverage/assess.ts';
import { feedsOf } from '../coverage/coverage.ts';
import { listedGap } from '../coverage/coverage-shapes.ts';
import { time } from '../shapes.ts';
import type { StatusRoom } from './room.ts';

/** How many rules are listed with their usage. */
const MOST_RULES = 20;

export const STATES = ['ready', 'loading', ...STREAM_STATES] as const;

const usage = z.object({
  month: z.string().describe('In UTC, for instance 2026-11.'),
  reads: z.int().describe('Posts or pages that the upstream delivered for the account, each counted once.'),
  matches: z.int(),
  cost: z.number().describe('Reads times the price that the operator has set.'),
  currency: z.string().optional().describe('The currency of cost and budget.'),
  budget: z.number().nullable().describe('What the account may spend in a month; null if there is no limit.'),
  rules: z
    .array(z.object({ rule_id: z.string(), reads: z.int(), matches: z.int(), cost: z.number() }))
    .describe('The rules that used most.'),
});

/** Fields that only an upstream has. */
export const upstreamFields = {
  reason: z.string().optional().describe('The reason for the state.'),
  registered: z
    .int()
    .optional()
    .describe('Registrations that the upstream holds for all accounts. Only the operator sees this and `slots`.'),
  slots: z
    .object({ used: z.int(), limit: z.int().nullable(), packs: z.int() })
    .optional()
    .describe(
      '`used`: registrations in use at the upstream, including those of other programs. `limit`: how many it accepts. `packs`: how many registrations of this installation hold several rules.',
    ),
  last_event_at: time.nullable().optional(),
  usage: usage.optional(),
};

export const statusGaps = z.array(listedGap.omit({ platform: true })).describe('Times without coverage, newest first.');

export async function upstreamStatus(context: StatusRoom, caller: Caller, name: Platform) {
  const { state, reason } = await streamState(context, name);
  return {
    state,
    ...(reason !== undefined && { reason }),
    ...(isOperator(caller) && slotsOf(context, name)),
    last_event_at: context.upstreams.status(name)?.lastEventAt?.toISOString() ?? null,
    // The cost of the whole account is no business of an agent that is limited to some rules.
    ...(caller.grant?.ruleIds === undefined && {
      usage: await usageOf(context, caller.account, name, monthOf(context.clock.now())),
    }),
  };
}

/** As the node that reads the stream reports it. */
async function streamState(
  context: StatusRoom,
  name: Platform,
): Promise<{ state: StreamState; reason?: string | undefined }> {
  const stream = (await feedsOf(context, name)).find(({ kind }) => kind === 'stream');
  if (stream === undefined) return context.upstreams.status(name)!;
  if (!isFresh(stream, context.clock.now())) return { state: 'connecting', reason: 'no process reads the stream' };
  return { state: STREAM_STATES.find((state) => state === stream.state) ?? 'connecting', reason: stream.reason };
}

/** All accounts share the slots, so only the operator may see how many are in use. */
function slotsOf({ registrations }: StatusRoom, name: Platform) {
  const { held, packs, used, limit } = registrations.figures(name);
  return { registered: held, slots: { used, limit: limit ?? null, packs } };
}

async function usageOf(
  { store, budgets, settings }: StatusRoom,
  account: Account,
  name: Platform,
  month: number,
): Promise<z.input<typeof usage>> {
  const { reads, matches } = await store.usage(account.id, name, month);
  const rules = await store.ruleUsage(account.id, name, month, MOST_RULES);
  return {
    month: monthText(month),
    reads,
    matches,
    cost: money(budgets.cost(name, reads)),
    ...(settings.currency !== undefined && { currency: settings.currency }),
    budget: name === 'x' ? (account.xBudget ?? null) : null,
    rules: rules.map((rule) => ({
      rule_id: rule.ruleId,
      reads: rule.reads,
      matches: rule.matches,
      cost: money(budgets.cost(name, rule.reads)),
    })),
  };
}

/** Prices have fractions of a cent. Rounding hides the digits that binary fractions add. */
const money = (amount: number): number => Math.round(amount * 10_000) / 10_000;
