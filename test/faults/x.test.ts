/** Every row of the fault catalogue that X can show: what it does to us, what is counted, and that it happened. */
import { describe, expect, it } from 'vitest';
import { rowsTested } from './rows.ts';
import { serviceRows } from './service-rows.ts';
import { xRefusalRows } from './x-refusal-rows.ts';
import { xReplayRows } from './x-replay-rows.ts';
import { xRuleRows } from './x-rule-rows.ts';
import { xStreamRows } from './x-stream-rows.ts';
import { xWebhookRows } from './x-webhook-rows.ts';

const LAST = 41;

describe('faults of X', () => {
  xStreamRows();
  xRefusalRows();
  xReplayRows();
  xRuleRows();
  serviceRows();
  xWebhookRows();

  const rows = Array.from({ length: LAST }, (_, index) => `X${index + 1}`);
  it.each([...rows, 'B2', 'B8'])('%s has a test', (name) => {
    expect([...rowsTested()]).toContain(name);
  });
});
