import { describe, expect, it } from 'vitest';
import { readRobots, robotsIn } from './robots.ts';

describe('robots.txt', () => {
  it.each([
    ['', '/', true],
    ['User-agent: *\nDisallow:', '/', true],
    ['User-agent: *\nDisallow: /', '/robots.txt', true],
    ['User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c', true],
    ['User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/c', false],
    ['User-agent: *\nDisallow: /*.php$', '/x/y.php', false],
    ['User-agent: *\nDisallow: /*.php$', '/x/y.php?z', true],
    ['User-agent: *\nDisallow: /*/private/', '/x/private/y', false],
    ['user-agent: a\nUser-Agent: SLUICE # us\r\ndisallow: /x', '/x', false],
    ['User-agent: *\nDisallow: /\n\nUser-agent: sluice\nDisallow: /x', '/y', true],
    ['Disallow: /', '/y', true],
    ['User-agent: *\nDisallow: /same\nAllow: /same', '/same', true],
  ])('%j on %s says %s', (text, path, allows) => expect(readRobots(text, 'sluice').allows(path)).toBe(allows));

  it('is read in a time that grows with its length, whatever is in it', () => {
    const hostile = [
      `disallow: x${' '.repeat(100_000)}y`,
      ' '.repeat(500_000),
      `${'a '.repeat(250_000)}:`,
      'user-agent: *\n'.repeat(30_000),
      `user-agent: *\n${'disallow: /*a*b\n'.repeat(30_000)}`,
      `user-agent: *\ndisallow: /${'*a'.repeat(499)}$`,
    ];
    for (const text of hostile) expect(readRobots(text, 'sluice').allows('/aaaa')).toBeTypeOf('boolean');
  });

  it('has ten thousand lines at most that are read, empty ones not counted', () => {
    const text = (lines: number) => `User-agent: *\n${'\nx'.repeat(lines)}\nDisallow: /x`;
    expect([readRobots(text(9_998), 'sluice').allows('/x'), readRobots(text(9_999), 'sluice').allows('/x')]).toEqual([
      false,
      true,
    ]);
  });

  it('is read once, whoever asks for the rules of an answer', () => {
    const body = Buffer.from('User-agent: sluice\nDisallow: /x');
    expect(robotsIn(body).allows('/x')).toBe(false);
    expect(robotsIn(body)).toBe(robotsIn(body));
  });

  it('may ask for patience', () => {
    expect(readRobots('User-agent: *\nCrawl-delay: 2.5\nDisallow: /x', 'sluice').delayMs).toBe(2_500);
  });
});
