import { describe, expect, it } from 'vitest';
import { openHost } from './host.ts';
import { createWitnesses } from './witnesses.ts';

const SECOND = 1_000_000;
const date = (seconds: number) => new Date(seconds * 1_000);

/** Two hosts, told of an event at a second of the stream, with the same second as monotonic time. */
function stand() {
  const options = { dids: [], stall: 60, compress: false };
  const hosts = ['wss://a.example', 'wss://b.example'].map((url) => openHost({ ...options, url }, undefined));
  const witnesses = createWitnesses(hosts, 0);
  const hear = (at: number, second: number) => {
    const witness = witnesses.all[at]!;
    witness.last = { seq: second, time: second * SECOND, since: witness.last?.since ?? second * SECOND };
    witnesses.take(witness, { did: 'did:a', seq: second, time: second * SECOND, original: {} });
  };
  const leave = (at: number, second: number) => {
    witnesses.all[at]!.awaySince = second * 1_000;
  };
  const reaches = (second: number) => witnesses.reaches(date(10_000), second * 1_000);
  return { witnesses, hear, leave, reaches };
}

describe('two hosts as witnesses', () => {
  it('are complete up to the earlier of both, less the time that events take to reach them', () => {
    const { hear, reaches } = stand();
    hear(0, 70);
    expect(reaches(30)).toBeUndefined();
    hear(1, 75);
    // Nothing is known of the time before both were first heard.
    expect(reaches(75)).toBeUndefined();
    hear(0, 100);
    hear(1, 90);
    expect(reaches(100)).toEqual(date(80));
  });

  it('wait a minute for one that is away; then the other counts alone, and that is noted until it has caught up', () => {
    const { witnesses, hear, leave, reaches } = stand();
    for (const second of [80, 100]) for (const host of [0, 1]) hear(host, second);
    leave(1, 100);
    hear(0, 150);
    expect(reaches(150)).toEqual(date(90));
    expect(witnesses.unwitnessed(150_000)).toEqual([]);
    hear(0, 170);
    expect(reaches(170)).toEqual(date(160));
    expect(witnesses.unwitnessed(170_000)).toEqual([{ from: date(90), to: date(200), isOver: false }]);
    hear(0, 180);
    expect(witnesses.unwitnessed(180_000)).toEqual([]);
    hear(1, 120);
    expect(witnesses.unwitnessed(181_000)).toEqual([]);
    hear(1, 181);
    expect(witnesses.unwitnessed(182_000)).toEqual([{ from: date(90), to: date(210), isOver: true }]);
    expect(witnesses.unwitnessed(183_000)).toEqual([]);
  });
});
