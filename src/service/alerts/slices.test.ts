import { describe, expect, it } from 'vitest';
import type { Webhook } from '../../domain/webhook.ts';
import { addHour, type Baseline, newBaseline } from '../../signal/baseline.ts';
import type { MinuteOfRule, RuleWatch } from '../../store/store.ts';
import { readNow, writeNow, writePast } from './learn.ts';
import { lookAtDue, lookAtMatched, type SliceDeps } from './slices.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HOURS = 1_000;
const AT = HOURS * HOUR + 45 * MINUTE;
/** Sixty an hour are usual; silence is unusual after thirty minutes. */
const outlook = {
  hour: HOURS,
  usual: [60, 60, 60] as const,
  bars: { ten: 1, sixty: 1 },
  silence: 30,
  quiet: { since: HOURS * 60, usual: 0 },
};
const surge = { id: 'alert_s', from: AT - HOUR, usualRate: 60, rate: 900 };
const silence = { id: 'alert_q', from: AT - HOUR, usualRate: 60 };

const watchOf = (change: Partial<RuleWatch> = {}): RuleWatch => ({
  rule: 7,
  platform: 'x',
  ruleId: 'rule_7',
  ruleName: 'Storms',
  accountId: 'a',
  createdAt: new Date(0),
  isRunning: true,
  alerts: { surge: true, silence: true },
  version: 1,
  pastVersion: 1,
  now: writeNow({ outlook }),
  past: undefined,
  ten: 0,
  sixty: 0,
  ...change,
});

const WEBHOOK = {
  id: 'hook_1',
  accountId: 'a',
  url: 'https://a.test/',
  events: ['alert'],
  format: 'json',
  status: 'active',
} as unknown as Webhook;

interface Asked {
  gaps: number;
  since: number | undefined;
  readonly minutes: unknown[][];
  readonly webhooks: string[];
}

function stage(minutes: readonly MinuteOfRule[] = []) {
  const asked: Asked = { gaps: 0, since: undefined, minutes: [], webhooks: [] };
  const deps: SliceDeps = {
    store: {
      gaps: async ({ since }) => {
        asked.gaps++;
        asked.since = since?.getTime();
        return [];
      },
      minutesOf: async (...query) => {
        asked.minutes.push(query);
        return minutes.filter(({ minute }) => minute >= query[1] && minute < query[2]);
      },
      webhooks: async (accountId) => {
        asked.webhooks.push(accountId);
        return [WEBHOOK];
      },
    },
    coverage: { of: async () => ({ from: new Date(0), through: new Date(AT), reasons: [] }) as never },
  };
  const matched = (...watches: RuleWatch[]) => lookAtMatched(deps, watches, Math.floor(AT / MINUTE), AT);
  const due = (...watches: RuleWatch[]) => lookAtDue(deps, watches, AT);
  return { asked, matched, due };
}

const dueOf = (found: { change: { next: { dueAt: Date } | undefined } }) =>
  (found.change.next!.dueAt.getTime() - HOURS * HOUR) / MINUTE;

describe('rules that had matches', () => {
  it('cost no question while nothing stands out', async () => {
    const { matched, asked } = stage();
    expect(await matched(watchOf({ ten: 12, sixty: 60 }), watchOf())).toEqual([]);
    expect(asked).toEqual({ gaps: 0, since: undefined, minutes: [], webhooks: [] });
  });

  it('raise an alert when they surge, told to the webhooks of the account, which are read once', async () => {
    const { matched, asked } = stage();
    const busy = { ten: 200, sixty: 250 };
    const found = await matched(watchOf(busy), watchOf({ ...busy, rule: 8, ruleId: 'rule_8' }));
    expect(found.map(({ begun }) => begun)).toMatchObject([
      [{ ruleId: 'rule_7', kind: 'surge', accountId: 'a', ruleName: 'Storms', platform: 'x', rate: 1_200 }],
      [{ ruleId: 'rule_8', kind: 'surge' }],
    ]);
    const [{ change, alerts, begun }] = found as [(typeof found)[0]];
    expect([alerts, change.alerts[0]!.id]).toEqual([begun, alerts[0]!.id]);
    expect(change.deliveries).toMatchObject([{ webhookId: 'hook_1' }]);
    expect(asked.webhooks).toEqual(['a']);
    expect(readNow(change.next!.now).surge).toMatchObject({ id: alerts[0]!.id, rate: 1_200 });
    expect(change.next).not.toHaveProperty('past');
    expect(dueOf(found[0]!)).toBe(50);
  });

  it('say no more of a surge that only goes on, and tell no webhook of one that grew', async () => {
    const { matched, asked } = stage();
    const now = writeNow({ outlook, surge: { ...surge, rate: 1_200 } });
    expect(await matched(watchOf({ now, ten: 200, sixty: 200 }))).toEqual([]);
    const [grown] = await matched(watchOf({ now, ten: 300, sixty: 300 }));
    expect(grown).toMatchObject({ alerts: [{ id: 'alert_s', rate: 1_800, to: undefined }], begun: [] });
    expect([grown!.change.deliveries, asked.webhooks]).toEqual([[], []]);
  });

  it('end their silence, which is told', async () => {
    const { matched } = stage();
    const now = writeNow({ outlook, silence });
    const [found] = await matched(watchOf({ now, ten: 1, sixty: 1 }));
    expect(found).toMatchObject({ alerts: [{ id: 'alert_q', kind: 'silence', to: new Date(AT) }], begun: [] });
    expect(found!.change.deliveries).toHaveLength(1);
  });

  it('are left to the next due look when they were never looked at, or their text is a new one', async () => {
    const { matched } = stage();
    const busy = { ten: 200, sixty: 250 };
    expect(await matched(watchOf({ ...busy, now: undefined }), watchOf({ ...busy, version: 2 }))).toEqual([]);
  });

  it('raise nothing that their owner does not want', async () => {
    const { matched, asked } = stage();
    const alerts = { surge: false, silence: true };
    expect(await matched(watchOf({ alerts, ten: 200, sixty: 250 }))).toEqual([]);
    expect(asked.gaps).toBe(0);
  });
});

/** One match a minute, for two weeks before an hour. */
function everyMinute(hour: number): Baseline {
  const minutes = Array.from({ length: 60 }, () => 1);
  const ordinary = { matches: 1_000, ten: 9, sixty: 9, quiet: 9, missing: 9 };
  let usual = newBaseline(hour - 14 * 24);
  while (usual.next < hour) usual = addHour(usual, { minutes, before: minutes, heard: true, ordinary });
  return usual;
}

describe('rules that are due', () => {
  const past = writePast(newBaseline(HOURS));
  const place = { rule: 7, platform: 'x' as const };

  it('are due again when the hour is over and settled', async () => {
    const { due, asked } = stage();
    const [found] = await due(watchOf({ past }));
    expect(found).toMatchObject({ alerts: [], begun: [], change: { watch: { ruleId: 'rule_7' }, deliveries: [] } });
    expect(dueOf(found!)).toBe(61);
    expect(asked.minutes).toEqual([[[place], (HOURS - 1) * 60, HOURS * 60 + 46]]);
    // An hour before what is learnt, since a gap spoils the hour after it.
    expect(asked.since).toBe((HOURS - 2) * HOUR);
    expect(JSON.parse(found!.change.next!.past!)).toMatchObject({ next: HOURS });
  });

  it('learn the hours that passed, and go on at once when more are left', async () => {
    const { due, asked } = stage([{ ...place, minute: (HOURS - 20) * 60, matches: 9 }]);
    const [found] = await due(watchOf({ past: writePast(newBaseline(HOURS - 20)) }));
    const learnt = JSON.parse(found!.change.next!.past!) as { next: number; means: number[] };
    expect([learnt.next, learnt.means[(HOURS - 20) % 168]]).toEqual([HOURS - 14, 9]);
    expect(dueOf(found!)).toBe(45);
    expect(asked.minutes[0]!.slice(1)).toEqual([(HOURS - 21) * 60, (HOURS - 11) * 60]);
  });

  it('share the questions of those that are as far as they are, and keep their minutes apart', async () => {
    const other = { rule: 8, platform: 'x' as const };
    const { due, asked } = stage([{ ...other, minute: (HOURS - 2) * 60, matches: 5 }]);
    const behind = writePast(newBaseline(HOURS - 2));
    const found = await due(watchOf({ past: behind }), watchOf({ ...other, past: behind }), watchOf({ rule: 9, past }));
    expect(asked.minutes.map(([places]) => places)).toEqual([[place, other], [{ rule: 9, platform: 'x' }]]);
    const means = found.map(({ change }) => JSON.parse(change.next!.past!).means[(HOURS - 2) % 168] as number);
    expect(means).toEqual([0, 5, 0]);
  });

  it('end what lasts and are watched no longer when their owner wants no alert', async () => {
    const { due } = stage();
    const now = writeNow({ outlook, surge, silence });
    const [found] = await due(watchOf({ past, now, alerts: { surge: false, silence: false } }));
    expect(found!.change.next).toBeUndefined();
    expect(found!.alerts.map(({ id, to }) => [id, to])).toEqual([
      ['alert_s', new Date(AT)],
      ['alert_q', new Date(AT)],
    ]);
    expect(found!.change.deliveries).toHaveLength(2);
  });

  it('end the alert of an old text, and go on being watched', async () => {
    const { due } = stage();
    const now = writeNow({ outlook, surge });
    const [found] = await due(watchOf({ past, now, version: 2 }));
    expect(found!.alerts).toMatchObject([{ id: 'alert_s', to: new Date(AT) }]);
    expect(readNow(found!.change.next!.now)).not.toHaveProperty('surge');
    expect(JSON.parse(found!.change.next!.past!)).toMatchObject({ next: HOURS + 1 });
    expect(dueOf(found!)).toBe(121);
  });

  it.each([5, 6])(
    'are not silent where the running hour has matches, %i hours after the last that was learnt',
    async (behind) => {
      const first = (HOURS - behind - 1) * 60;
      const count = Math.floor(AT / MINUTE) + 1 - first;
      const { due } = stage(Array.from({ length: count }, (_, at) => ({ ...place, minute: first + at, matches: 1 })));
      const [found] = await due(watchOf({ past: writePast(everyMinute(HOURS - behind)) }));
      expect(JSON.parse(found!.change.next!.past!)).toMatchObject({ next: HOURS });
      expect([found!.alerts, found!.change.deliveries]).toEqual([[], []]);
    },
  );

  it('are due as soon as silence would be unusual, where their owner wants to know of it', async () => {
    const { due } = stage([{ ...place, minute: HOURS * 60 + 40, matches: 1 }]);
    const dueWith = async (alerts: RuleWatch['alerts']) =>
      dueOf((await due(watchOf({ past: writePast(everyMinute(HOURS)), alerts })))[0]!);
    const told = await dueWith({ surge: true, silence: true });
    expect([told > 45, told < 61]).toEqual([true, true]);
    expect(await dueWith({ surge: true, silence: false })).toBe(61);
  });

  it('are looked at again within five minutes while an alert lasts', async () => {
    const { due } = stage();
    const now = writeNow({ outlook, surge: { ...surge, calmSince: Math.floor(AT / MINUTE) - 1 } });
    const [found] = await due(watchOf({ past, now }));
    expect([found!.alerts, dueOf(found!)]).toEqual([[], 50]);
    expect(readNow(found!.change.next!.now).surge).toMatchObject({ id: 'alert_s' });
  });
});
