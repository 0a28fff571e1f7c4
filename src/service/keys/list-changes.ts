/** List Changes: who changed what of the account, and when. */
import { z } from 'zod';
import { CHANGE_KINDS, type Change } from '../../domain/change.ts';
import { exampleRule } from '../rules/read-rules.ts';
import { changedBy, changedByToJson, instant, time } from '../shapes.ts';
import { operation } from './room.ts';

const fields = z.record(z.string(), z.unknown());
export const listedChange = z.object({
  at: time,
  by: changedBy,
  what: z
    .string()
    .describe(
      'For instance `rule.created`, `rule.changed`, `rule.deleted`, `rule.restored`; also of `webhook`, `key`, `grant`, `account`, `feed`, `view`, `source`, `silence`, `session`, `subscription`. `post.erased` is an erasure: `after` has its platform, its `scope` (`account`, `all_accounts`, `announced` by the platform) and how many `matches` went, and no text.',
    ),
  id: z.string().describe('The id of what was changed.'),
  before: fields.optional().describe('The changed fields as they were; of what was deleted, all. Without secrets.'),
  after: fields.optional().describe('The changed fields as they are since; of what was created, all.'),
});

export const listChanges = operation({
  name: 'listChanges',
  summary: 'List changes',
  description:
    'The audit log of the account, newest first: every change of its rules, webhooks, sources, silences, keys, connected agents and what they subscribed to, feeds, views and settings, every session of the console and every erasure, with who made it. Changes are kept as long as matches.',
  access: 'full',
  input: z.strictObject({
    kind: z.enum(CHANGE_KINDS).optional(),
    id: z.string().max(100).optional().describe('Only changes of what has this id.'),
    since: instant.optional(),
    until: instant.optional(),
    limit: z.coerce.number().int().min(1).max(1_000).default(50),
    cursor: z.string().optional().describe('`next_cursor` of an earlier answer.'),
  }),
  output: z.object({ changes: z.array(listedChange), next_cursor: z.string().optional() }),
  example: {
    input: { kind: 'rule', limit: 1 },
    output: {
      changes: [
        {
          at: '2026-11-15T08:30:00.123Z',
          by: { kind: 'key', key_id: 'key_01k3zq0a1b2c3d4e5f6g7h8j9k', key_name: 'first key' },
          what: 'rule.changed',
          id: exampleRule.id,
          before: { paused: false },
          after: { paused: true },
        },
      ],
    },
  },
  async run({ store, cursors }, { account }, { kind, id, since, until, limit, cursor }) {
    const { changes, next } = await store.changes({
      accountId: account.id,
      limit,
      ...(kind !== undefined && { kind }),
      ...(id !== undefined && { id }),
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
      ...(cursor !== undefined && { before: cursors.read(account.id, 'change', 'cursor', cursor) }),
    });
    return {
      changes: changes.map(changeToJson),
      ...(next !== undefined && { next_cursor: cursors.write(account.id, 'change', next) }),
    };
  },
});

const changeToJson = ({ at, by, what, id, before, after }: Change): z.input<typeof listedChange> => ({
  at: at.toISOString(),
  by: changedByToJson(by),
  what,
  id,
  ...(before && { before: { ...before } }),
  ...(after && { after: { ...after } }),
});
