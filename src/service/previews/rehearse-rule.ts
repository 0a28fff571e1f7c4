/** Rehearse Rule and what follows it: a rule is tried on history, as a job that can be looked at and cancelled. */
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rehearsal, RehearsalStatus } from '../../domain/rule.ts';
import { type Texts, textsOfRequest } from '../../rules/rule-text.ts';
import { HistoryError } from '../../sources/history/history.ts';
import type { Caller } from '../access/caller.ts';
import type { ComputeWish } from '../compute.ts';
import { type Issue, invalidArgument, ServiceError } from '../errors.ts';
import { limitReached, MAX_ARCHIVE_DAYS, MAX_REHEARSALS } from '../limits.ts';
import { type HistoryChoice, requestOf } from '../rehearsal/request.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { fieldsOf, textProblems } from '../rules/rule-problems.ts';
import { instant, options, overrides, platform, ruleId, time } from '../shapes.ts';
import { rehearsalResult, resultOf } from './rehearsal-report.ts';
import { operation, type PreviewsRoom } from './room.ts';

const DAY_MS = 24 * 3_600_000;
const STATUSES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const satisfies readonly RehearsalStatus[];

const history = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('recent') }),
    z.strictObject({
      kind: z.literal('file'),
      file: z.string().min(1).max(1_000).describe('Below the folder that the operator set with SLUICE_HISTORY.'),
    }),
    z.strictObject({ kind: z.literal('archive'), from: instant, to: instant }),
  ])
  .describe(
    `What the rule is tried on: the recent events, an NDJSON or Parquet file of the operator, or up to ${MAX_ARCHIVE_DAYS} days of Bluesky’s archive.`,
  );

const listed = z.object({
  id: z.string(),
  status: z
    .enum(STATUSES)
    .describe('One that waits has not begun; one that runs takes turns with those of other accounts.'),
  rule_id: z.string().optional(),
  queries: z.partialRecord(z.enum(PLATFORMS), z.string()),
  history,
  created_at: time,
  ended_at: time.nullable(),
  events: z.int().describe('Events read so far, those of other platforms left out.'),
  progress: z
    .number()
    .nullable()
    .describe('How much of the history was read, from 0 to 1; null when its size is not known.'),
  error: z.string().optional().describe('Why it failed, or why it is tried again.'),
});

const example: z.input<typeof listed> = {
  id: 'reh_01k3zq8m7e5w9c2t4r6y8p0a1b',
  status: 'waiting',
  queries: { x: 'volcano lang:en' },
  history: { kind: 'file', file: '2026/november.ndjson.gz' },
  created_at: '2026-11-15T08:30:00.123Z',
  ended_at: null,
  events: 0,
  progress: null,
};

const rehearsalId = z.string().describe('The id of a rehearsal, as Rehearse Rule returned it.');

export const rehearseRule = operation({
  name: 'rehearseRule',
  summary: 'Try a rule on history',
  description:
    'Starts a job that tries the texts, or a stored rule, on events of the past. Get Rehearsal shows how far it is and what it has found: matches over time, stories, languages, near misses, what to expect in a month, samples. It survives restarts. Creates no matches.',
  access: 'full',
  grants: 'account',
  input: z.strictObject({
    rule_id: ruleId.optional(),
    platforms: z.array(platform).min(1).max(PLATFORMS.length).optional(),
    overrides: overrides.optional(),
    options: options.optional(),
    history: history.default({ kind: 'recent' }),
  }),
  output: listed,
  example: {
    input: { platforms: ['x'], overrides: { x: 'volcano lang:en' }, history: { kind: 'recent' } },
    output: { ...example, history: { kind: 'recent' } },
  },
  problems: problemsOf,
  async run(context, caller, input) {
    const { store, clock, rehearsals } = context;
    const texts = await textsOf(context, caller, input);
    await checkHistory(context, input.history);
    const rehearsal: Rehearsal = {
      id: newId('reh', clock.now()),
      accountId: caller.account.id,
      status: 'waiting',
      createdAt: clock.now(),
      endedAt: undefined,
      request: JSON.stringify({ ruleId: input.rule_id, texts, history: input.history }),
      events: 0,
      progress: undefined,
      error: undefined,
    };
    if (!(await store.addRehearsal(rehearsal, MAX_REHEARSALS)))
      throw limitReached('rehearsals', `${MAX_REHEARSALS.unfinished} rehearsals of this account wait or run.`, {});
    rehearsals.wake();
    return rehearsalToJson(rehearsal);
  },
});

export const getRehearsal = operation({
  name: 'getRehearsal',
  summary: 'Look at a rehearsal',
  description: 'How far a rehearsal is, and what it has found so far. The result grows until the job has ended.',
  access: 'read',
  grants: 'account',
  input: z.strictObject({ rehearsal_id: rehearsalId }),
  output: listed.extend({ result: rehearsalResult }),
  example: {
    input: { rehearsal_id: example.id },
    output: { ...example, result: { unreadable: 0, platforms: {} } },
  },
  async run(context, { account }, { rehearsal_id }) {
    const stored = await context.store.rehearsal(account.id, rehearsal_id);
    if (stored === undefined) throw notFound();
    return { ...rehearsalToJson(stored.rehearsal), result: resultOf(context, stored) };
  },
});

export const listRehearsals = operation({
  name: 'listRehearsals',
  summary: 'List rehearsals',
  description: `The rehearsals of the account, newest first, without their results. ${MAX_REHEARSALS.kept} are kept.`,
  access: 'read',
  grants: 'account',
  input: z.strictObject({}),
  output: z.object({ rehearsals: z.array(listed) }),
  example: { input: {}, output: { rehearsals: [example] } },
  async run({ store }, { account }) {
    const found = await store.rehearsals(account.id, MAX_REHEARSALS.kept + MAX_REHEARSALS.unfinished);
    return { rehearsals: found.map(rehearsalToJson) };
  },
});

export const cancelRehearsal = operation({
  name: 'cancelRehearsal',
  summary: 'Cancel a rehearsal',
  description:
    'Ends a rehearsal that waits or runs. What it has found so far stays. One that has ended stays as it is.',
  access: 'full',
  grants: 'account',
  input: z.strictObject({ rehearsal_id: rehearsalId }),
  output: listed,
  example: { input: { rehearsal_id: example.id }, output: { ...example, status: 'cancelled' } },
  async run({ store, clock, rehearsals }, { account }, { rehearsal_id }) {
    if (await store.cancelRehearsal(account.id, rehearsal_id, clock.now())) rehearsals.cancelled(rehearsal_id);
    const stored = await store.rehearsal(account.id, rehearsal_id);
    if (stored === undefined) throw notFound();
    return rehearsalToJson(stored.rehearsal);
  },
});

const notFound = () => new ServiceError('not_found', 'There is no rehearsal with this id. List Rehearsals has them.');

function problemsOf(
  context: PreviewsRoom,
  input: unknown,
  wish: ComputeWish,
): readonly Issue[] | Promise<readonly Issue[]> {
  const { rule_id, platforms, overrides: texts } = fieldsOf(input);
  if ((rule_id === undefined) === (texts === undefined))
    return [{ path: 'rule_id', message: 'Give either `rule_id`, or `platforms` and `overrides`.' }];
  if (texts === undefined) return [];
  if (platforms === undefined) return [{ path: 'platforms', message: 'It is required, because `overrides` is given.' }];
  return textProblems.find(context, input, wish);
}

interface Asked {
  readonly rule_id?: string | undefined;
  readonly platforms?: readonly Platform[] | undefined;
  readonly overrides?: z.output<typeof overrides> | undefined;
  readonly options?: z.output<typeof options> | undefined;
}

async function textsOf(context: PreviewsRoom, caller: Caller, asked: Asked): Promise<Texts> {
  if (asked.rule_id === undefined) return textsOfRequest(asked.overrides!, asked.options);
  const rule = await ruleOf(context, caller, asked.rule_id);
  const texts: Texts = {};
  for (const name of asked.platforms ?? PLATFORMS) {
    const text = rule.platforms[name];
    if (text !== undefined && context.languages[name].clauses(text.value).length > 0)
      texts[name] = { value: text.value, flags: text.flags };
  }
  if (Object.keys(texts).length === 0)
    throw invalidArgument([
      { path: 'platforms', message: `The rule is not on ${(asked.platforms ?? PLATFORMS).join(' or ')}.` },
    ]);
  return texts;
}

async function checkHistory(context: PreviewsRoom, choice: HistoryChoice): Promise<void> {
  if (choice.kind === 'file') return checkFile(context, choice.file);
  if (choice.kind !== 'archive') return;
  if (context.history.archive === undefined)
    throw unset('There is no archive here. The operator sets SLUICE_JETSTREAM_KEY.');
  const [from, to] = [Date.parse(choice.from), Date.parse(choice.to)];
  if (from >= to) throw invalidArgument([{ path: 'history.to', message: 'Must be after `from`.' }]);
  if (to - from > MAX_ARCHIVE_DAYS * DAY_MS)
    throw invalidArgument([
      { path: 'history.to', message: `Must be at most ${MAX_ARCHIVE_DAYS} days after \`from\`.` },
    ]);
}

async function checkFile({ history: { files } }: PreviewsRoom, file: string): Promise<void> {
  if (files === undefined) throw unset('There is no folder of history here. The operator sets SLUICE_HISTORY.');
  try {
    await files.check(file);
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    throw invalidArgument([{ path: 'history.file', message: error.message }]);
  }
}

const unset = (message: string) => new ServiceError('failed_precondition', message);

function rehearsalToJson(rehearsal: Rehearsal): z.input<typeof listed> {
  const { ruleId: rule, texts, history: choice } = requestOf(rehearsal.request);
  return {
    id: rehearsal.id,
    status: rehearsal.status,
    ...(rule !== undefined && { rule_id: rule }),
    queries: Object.fromEntries(Object.entries(texts).map(([name, { value }]) => [name, value])),
    history: choice,
    created_at: rehearsal.createdAt.toISOString(),
    ended_at: rehearsal.endedAt?.toISOString() ?? null,
    events: rehearsal.events,
    progress: rehearsal.progress ?? null,
    ...(rehearsal.error !== undefined && { error: rehearsal.error }),
  };
}
