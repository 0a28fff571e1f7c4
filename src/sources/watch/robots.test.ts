import { describe, expect, it } from 'vitest';
import { readRobots } from './robots.ts';

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

  it('may ask for patience', () => {
    expect(readRobots('User-agent: *\nCrawl-delay: 2.5\nDisallow: /x', 'sluice').delayMs).toBe(2_500);
  });
});
