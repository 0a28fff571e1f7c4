/** Receivers tell messages apart by words that programs are written for, so that a change of one is seen and meant. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AGENT_MESSAGES, CLOUD_EVENTS, DELIVERIES, STREAM_EVENTS } from './message-shapes.ts';

/** The values that a field of each shape may have. */
const valuesOf = (shapes: Readonly<Record<string, z.ZodType>>, field: string) =>
  Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      const { properties = {} } = z.toJSONSchema(shape, { io: 'input' });
      const schema = properties[field] as { const?: unknown; enum?: unknown[]; type?: string } | undefined;
      return [name, schema?.const ?? schema?.enum];
    }),
  );

describe('messages', () => {
  it('of the stream say why it ends', () => {
    expect(valuesOf({ end: STREAM_EVENTS.end }, 'reason')).toEqual({
      end: ['too_slow', 'key_revoked', 'account_suspended', 'session_ended', 'rule_deleted', 'stopping'],
    });
  });

  it('to webhooks have a type, and say whether they wake', () => {
    expect(valuesOf(DELIVERIES, 'type')).toEqual({
      matches: 'matches',
      test: 'test',
      digest: 'digest',
      operational: 'operational',
      alert: 'alert',
      head: 'head',
    });
    expect(valuesOf(DELIVERIES, 'wake')).toMatchObject({ matches: true, digest: false });
    expect(valuesOf({ event: DELIVERIES.operational.shape.event }, 'type')).toEqual({
      event: [
        'webhook_failing',
        'webhook_disabled',
        'budget_near',
        'budget_spent',
        'budget_restored',
        'limit_near',
        'limit_reached',
        'limit_cleared',
        'token_refused',
        'rules_gone',
        'rules_back',
        'wake_expired',
        'source_failing',
        'source_moved',
        'source_recovered',
      ],
    });
  });

  it('as CloudEvents have the types of their kind', () => {
    expect(valuesOf(CLOUD_EVENTS, 'type')).toEqual({
      match: ['sluice.match.created', 'sluice.webhook.test'],
      digest: ['sluice.digest.written'],
      operational: [
        'sluice.webhook.failing',
        'sluice.webhook.disabled',
        'sluice.budget.near',
        'sluice.budget.spent',
        'sluice.budget.restored',
        'sluice.limit.near',
        'sluice.limit.reached',
        'sluice.limit.cleared',
        'sluice.token.refused',
        'sluice.rules.gone',
        'sluice.rules.back',
        'sluice.wake.expired',
        'sluice.source.failing',
        'sluice.source.moved',
        'sluice.source.recovered',
      ],
      alert: ['sluice.alert.raised', 'sluice.alert.ended'],
      head: ['sluice.head.signed'],
    });
    for (const name of ['specversion', 'datacontenttype'] as const)
      expect(new Set(Object.values(valuesOf(CLOUD_EVENTS, name)))).toEqual(
        new Set([name === 'specversion' ? '1.0' : 'application/json']),
      );
  });

  it('to agents are events by their name, a proof that is asked for, and gaps', () => {
    const names = ['match.created', 'story.created', 'alert.raised', 'gap.opened'];
    expect(valuesOf(AGENT_MESSAGES, 'name')).toMatchObject(Object.fromEntries(names.map((name) => [name, name])));
    expect(valuesOf(AGENT_MESSAGES, 'type')).toMatchObject({ verification: 'verification', gap: 'gap' });
  });
});
