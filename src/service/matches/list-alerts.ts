/** List Alerts: surges and silences of the rules that are watched. */
import { z } from 'zod';
import { alertToJson } from '../../delivery/alert-text.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { ALERT_KINDS } from '../../domain/rule.ts';
import { exampleRule, ruleOf } from '../rules/read-rules.ts';
import { ruleId, time } from '../shapes.ts';
import { operation } from './room.ts';

export const listedAlert = z.object({
  id: z.string(),
  rule_id: z.string(),
  platform: z.enum(PLATFORMS),
  kind: z
    .enum(ALERT_KINDS)
    .describe(
      '`surge`: far more matches than usual. `silence`: no match for an unusually long time, or far fewer than usual for a day, while Sluice listened.',
    ),
  from: time,
  to: time.nullable().describe('Null while it lasts.'),
  rate: z
    .number()
    .describe(
      'Matches an hour: the highest rate of a surge, 0 of a silence, and what came all the same where far fewer did than usual.',
    ),
  usual_rate: z.number().describe('Matches an hour that were usual at that time of the week.'),
});

export const listAlerts = operation({
  name: 'listAlerts',
  summary: 'List alerts',
  description:
    'Surges and silences of the rules whose `alerts` are on, newest first. An episode is one alert. Alerts are kept as long as matches; those that last are kept.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({
    rule_id: ruleId.optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: z.string().optional().describe('`next_cursor` of an earlier answer.'),
  }),
  output: z.object({ alerts: z.array(listedAlert), next_cursor: z.string().optional() }),
  example: {
    input: { limit: 1 },
    output: {
      alerts: [
        {
          id: 'alert_01k3zq8m7e5w9c2t4r6y8p0a1b',
          rule_id: exampleRule.id,
          platform: 'x',
          kind: 'surge',
          from: '2026-11-15T08:20:00.000Z',
          to: null,
          rate: 240,
          usual_rate: 11.5,
        },
      ],
    },
  },
  async run(context, caller, { rule_id, limit, cursor }) {
    const { store, cursors } = context;
    const { account, grant } = caller;
    if (rule_id !== undefined) await ruleOf(context, caller, rule_id);
    const ruleIds = rule_id === undefined ? grant?.ruleIds : [rule_id];
    const { alerts, next } = await store.alerts({
      accountId: account.id,
      limit,
      ...(ruleIds !== undefined && { ruleIds }),
      ...(cursor !== undefined && { before: cursors.read(account.id, 'alert', 'cursor', cursor) }),
    });
    return {
      alerts: alerts.map(alertToJson),
      ...(next !== undefined && { next_cursor: cursors.write(account.id, 'alert', next) }),
    };
  },
});
