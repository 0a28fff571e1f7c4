import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

function lines(terminal: boolean) {
  const written: string[] = [];
  return { written, log: createLog({ level: 'info', terminal, write: (text) => written.push(text) }) };
}

describe('the log', () => {
  it('is one JSON object a line', () => {
    const { written, log } = lines(false);
    log.info({ rules: 3 }, 'loaded');
    log.debug({}, 'too fine');
    expect(written.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: 30, time: expect.stringMatching(/^\d{4}-.*Z$/), rules: 3, msg: 'loaded' },
    ]);
  });

  it('keeps keys out, wherever they turn up', () => {
    const { written, log } = lines(false);
    log.error(
      { err: new Error('refused: Bearer abc.def-123'), header: 'sk_0123456789abcdefghijABCDEFGHIJ01' },
      'with sk_0123456789abcdef and whsec_c2lnbmluZyBrZXk=',
    );
    expect(written.join('')).not.toMatch(/abc\.def|0123456789|c2lnbmluZyBrZXk/);
  });

  it('is short and readable on a terminal', () => {
    const { written, log } = lines(true);
    log.warn({ platform: 'x', queued: 3 }, 'slow');
    const text = stripVTControlCharacters(written.join(''));
    expect(text).toMatch(/^\d\d:\d\d:\d\d\.\d{3} +warn +slow +platform=x queued=3\n$/);
  });
});
