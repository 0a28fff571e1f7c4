import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { futureTime, pastTime } from './time-option.ts';

const NOW = Date.parse('2026-11-15T08:00:00Z');

describe('a time of an option', () => {
  it.each([
    ['12h', '2026-11-14T20:00:00.000Z'],
    ['90m', '2026-11-15T06:30:00.000Z'],
    ['30s', '2026-11-15T07:59:30.000Z'],
    ['7d', '2026-11-08T08:00:00.000Z'],
    ['2w', '2026-11-01T08:00:00.000Z'],
    ['2026-11-14', '2026-11-14T00:00:00.000Z'],
    ['2026-11-14T08:30Z', '2026-11-14T08:30:00.000Z'],
    ['2026-11-14T08:30:00.5+02:00', '2026-11-14T06:30:00.500Z'],
  ])('may be %s', (text, time) => {
    expect(pastTime(text, NOW)).toBe(time);
  });

  it('is ahead where that is meant', () => {
    expect(futureTime('12h', NOW).toISOString()).toBe('2026-11-15T20:00:00.000Z');
    expect(() => futureTime('2026-11-14', NOW)).toThrow('in the future');
  });

  it.each(['', 'yesterday', '12', '12y', '-1h', '2026-11-14T08:30:00', '2026-13-14', '1e9h'])('is never %j', (text) => {
    expect(() => pastTime(text, NOW)).toThrow('such as 90m, 12h');
  });

  it('is read in one place, whatever the command', () => {
    const folder = new URL('commands/', import.meta.url);
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const source = readFileSync(new URL(file, folder), 'utf8');
      expect(source, file).not.toMatch(/[.]option\('[^']*<time>/);
      expect(source, file).not.toContain("requiredOption('--from");
    }
  });
});
