/** Every row of the fault catalogue that concerns Firehose: what it does to us, what is counted, and that it happened. */
import { describe, expect, it } from 'vitest';
import { firehoseConnectionRows } from './firehose-connection-rows.ts';
import { firehoseEventRows } from './firehose-event-rows.ts';
import { firehosePlaceRows } from './firehose-place-rows.ts';
import { firehoseRefusalRows } from './firehose-refusal-rows.ts';
import { firehoseRowsTested } from './firehose-rows.ts';

describe('faults of Firehose', () => {
  firehoseConnectionRows();
  firehosePlaceRows();
  firehoseRefusalRows();
  firehoseEventRows();

  it('are all tested', () => {
    const rows = Array.from({ length: 25 }, (_, index) => `F${index + 1}`);
    expect([...firehoseRowsTested()].toSorted()).toEqual(rows.toSorted());
  });
});
