import { describe, expect, it } from 'vitest';
import { holderOf, type ProcessTable, processTable, soleHolder } from './holder.ts';

const starts = new Map([
  [1, '100'],
  [2, '200'],
]);
const table = (parts: Partial<ProcessTable> = {}): ProcessTable => ({
  host: 'node',
  pid: 1,
  bootId: 'boot',
  pidNamespace: 'pid:[1]',
  isRunning: (pid) => starts.has(pid),
  startOf: (pid) => starts.get(pid),
  ...parts,
});

describe('a holder', () => {
  const { id, isGone } = holderOf(table(), 'new');

  it.each([
    ['itself', id, false],
    ['an earlier process with its own number', 'node 1 boot pid:[1] 99 old', true],
    ['a process that runs', 'node 2 boot pid:[1] 200 other', false],
    ['a process that ended', 'node 3 boot pid:[1] 300 other', true],
    ['a process whose number another one has now', 'node 2 boot pid:[1] 150 other', true],
    ['a container with the same host name and number', 'node 1 boot pid:[2] 100 other', false],
    [
      'a process of an earlier boot, or of another machine with the same name',
      'node 3 earlier pid:[1] 300 other',
      false,
    ],
    ['a process of another name in this namespace', 'other 3 boot pid:[1] 300 other', true],
    ['an id of another shape', 'node 3 nonce', false],
  ])('tells whether %s is gone', (_, other, gone) => {
    expect(isGone(other)).toBe(gone);
  });

  it('takes no process for gone where the system tells no boot or namespace', () => {
    for (const unknown of [{ bootId: undefined }, { pidNamespace: undefined }]) {
      const first = holderOf(table({ ...unknown, pid: 3 }), 'first');
      expect(holderOf(table(unknown), 'second').isGone(first.id)).toBe(false);
    }
  });

  it('takes every other one for gone when it has the store to itself', () => {
    const sole = soleHolder(holderOf(table(), 'new'));
    expect([sole.isGone('node 1 boot pid:[2] 100 other'), sole.isGone(sole.id)]).toEqual([true, false]);
  });

  it.runIf(process.platform === 'linux')('knows boot, namespace and start of this process', () => {
    const { bootId, pidNamespace, isRunning, startOf } = processTable();
    expect(bootId).toMatch(/^[\da-f-]{36}$/);
    expect(pidNamespace).toMatch(/^pid:\[\d+\]$/);
    expect(startOf(process.pid)).toMatch(/^\d+$/);
    expect(isRunning(process.pid)).toBe(true);
  });
});
