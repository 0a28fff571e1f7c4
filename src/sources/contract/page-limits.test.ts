import { beforeAll, describe, expect, it } from 'vitest';
import { loadLanguages } from '../text/language.ts';
import { type Page, pageOf, registeredDomains } from './page.ts';
import { pageProblem, withinLimits } from './source.ts';

beforeAll(loadLanguages);

const page = (change: Partial<Page> = {}): Page => ({ id: 'a:1', source: { name: 'a', original: null }, ...change });
const letters = (count: number) => 'x'.repeat(count);

describe('limits of pages', () => {
  it.each<[string, Partial<Page>, string | undefined]>([
    ['an ordinary page', { url: 'https://user@example.com:8443/a?b#c', title: 'A' }, undefined],
    ['no url', {}, undefined],
    ['the longest id', { id: letters(1_024) }, undefined],
    ['a longer id', { id: letters(1_025) }, 'an id of more than 1024 characters'],
    ['the longest url', { url: `https://a.example/${letters(8_192 - 18)}` }, undefined],
    ['a longer url', { url: `https://a.example/${letters(8_192 - 17)}` }, 'a url of more than 8192 characters'],
    ['the longest host', { url: `https://u:p@${letters(253)}:80/` }, undefined],
    ['a longer host', { url: `https://${letters(254)}/` }, 'a host of more than 253 characters'],
    ['a longer host without slashes', { url: `https:${letters(254)}` }, 'a host of more than 253 characters'],
    ['a longer title', { title: letters(8_193) }, 'a title of more than 8192 characters'],
  ])('%s', (_, change, problem) => expect(pageProblem(page(change))).toBe(problem));

  it('count what is skipped, by reason', () => {
    const long = page({ url: `https://a.example/${letters(9_000)}` });
    const other = { ...long, id: 'a:2' };
    const post = (id: string, url: string) => ({ data: { id, text: '' }, url, source: { name: 'a' } });
    const posts = [post('a:1', 'https://a.example/'), post('a:2', other.url!), post(letters(2_001), '')];
    expect(withinLimits([page(), { ...long, id: 'a:3' }, other, page({ id: letters(2_000) })], posts)).toEqual({
      pages: [page()],
      posts: posts.slice(0, 1),
      skipped: {
        count: 4,
        message:
          'Skipped 4 pages: 2 with a url of more than 8192 characters, 2 with an id of more than 1024 characters.',
      },
    });
    expect(withinLimits([page()])).toEqual({ pages: [page()], posts: [], skipped: undefined });
  });

  it('give a host that is no name no domains', () => {
    const url = `http://${'a.'.repeat(6_000)}com/`;
    expect(registeredDomains(url)).toEqual([]);
    expect(pageOf({ source: 'a', id: '1', url, original: null })).not.toHaveProperty('domain');
    expect(registeredDomains('http://a.b.example.co.uk/')).toEqual([
      'a.b.example.co.uk',
      'b.example.co.uk',
      'example.co.uk',
    ]);
  });
});
