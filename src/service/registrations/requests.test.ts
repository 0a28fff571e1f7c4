import { expect, it } from 'vitest';
import { createRequests } from './requests.ts';

const storm = { value: 'storm', flags: {} };

it('are taken together, and wake the queue each', async () => {
  let wakes = 0;
  const requests = createRequests(() => wakes++);
  const asked = [requests.hold(storm), requests.release(storm), requests.audit()];
  expect([wakes, requests.isEmpty]).toEqual([3, false]);
  const { holds, releases, audits } = requests.drain();
  expect([requests.isEmpty, holds[0]?.text, releases[0]?.text]).toEqual([true, storm, storm]);
  for (const { resolve } of holds) resolve('id');
  for (const { resolve } of releases) resolve();
  for (const { resolve } of audits) resolve({ missing: 0, extra: 0, foreign: 0 });
  expect(await Promise.all(asked)).toEqual(['id', undefined, { missing: 0, extra: 0, foreign: 0 }]);
});

it('are refused once the queue is closed, those that wait and those that come later', async () => {
  const requests = createRequests(() => {});
  const waiting = [requests.hold(storm), requests.audit(), requests.release(storm)];
  requests.close(new Error('stopping'));
  const later = [requests.hold(storm), requests.audit(), requests.release(storm)];
  const states = (await Promise.allSettled([...waiting, ...later])).map(({ status }) => status);
  expect(states).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
});

it.each(['hold', 'release', 'audit'] as const)('are there as soon as one of them is: %s', (kind) => {
  const requests = createRequests(() => {});
  expect(requests.isEmpty).toBe(true);
  void requests[kind](storm);
  expect(requests.isEmpty).toBe(false);
  requests.drain();
  expect(requests.isEmpty).toBe(true);
});

it('are there when as many texts are to go as there are comparisons', () => {
  const requests = createRequests(() => {});
  void requests.release(storm);
  void requests.audit();
  expect(requests.isEmpty).toBe(false);
});

it('that are repeated wake no one, and keep how often they were tried', async () => {
  let wakes = 0;
  const requests = createRequests(() => wakes++);
  const asked = requests.hold(storm);
  const [first] = requests.drain().holds;
  requests.repeat([{ ...first!, tries: 3 }]);
  expect(wakes).toBe(1);
  const { holds } = requests.drain();
  expect(holds).toMatchObject([{ text: storm, tries: 3 }]);
  holds[0]!.resolve('id');
  expect([await asked, first!.tries]).toEqual(['id', 0]);
});
