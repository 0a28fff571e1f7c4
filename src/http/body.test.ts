import { describe, expect, it } from 'vitest';
import { MAX_LINES, readLines } from './body.ts';

/** How often the event loop turns while the work runs. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isDone = true;
  return turns;
}

describe('the lines of a push', () => {
  it('blanks a line that is not UTF-8, and no other', async () => {
    const body = Buffer.concat([Buffer.from('{"a":"\ufffd"}\n'), Buffer.of(0xff, 0x41, 0x0a), Buffer.from('{"b":1}')]);
    expect(await readLines(body)).toBe('{"a":"\ufffd"}\n??\n{"b":1}');
  });

  it('lets the event loop turn while it looks for broken lines', async () => {
    expect(await turnsDuring(readLines(Buffer.from('\xff\n'.repeat(200_000), 'latin1')))).toBeGreaterThan(90);
  });

  it('refuses a body with more lines than events fit into it', async () => {
    await expect(readLines(Buffer.from('\n'.repeat(MAX_LINES)))).resolves.toHaveLength(MAX_LINES);
    await expect(readLines(Buffer.from('\n'.repeat(MAX_LINES + 1)))).rejects.toMatchObject({ status: 413 });
  });
});
