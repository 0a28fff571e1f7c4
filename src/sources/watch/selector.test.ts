import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { readSelector, selectIn } from './selector.ts';

const PAGE = `<html><body><div id="shop" class="box big"><h1>Lamp</h1><p class="price">39</p><p class="price old">49</p>
  <ul><li>one</li><li data-kind="two words">two</li><li><ul><li>inner</li></ul></li></ul></div><P CLASS="note">Note</P></body></html>`;

function textsAt(text: string): string[] {
  const selector = readSelector(text);
  if ('problem' in selector) throw new Error(selector.problem);
  return selectIn(parseHTML(PAGE).document, selector).map(({ textContent }) => textContent ?? '');
}

describe('a selector', () => {
  it.each([
    ['h1', ['Lamp']],
    ['#shop > .price', ['39', '49']],
    ['p.price.old', ['49']],
    ['body .box ul li', ['one', 'two', 'inner']],
    ['#shop > ul > li:nth-of-type(2)', ['two']],
    ['li:nth-child(1)', ['one', 'inner']],
    ['li:first-child, h1', ['Lamp', 'one', 'inner']],
    ['[data-kind]', ['two']],
    ['[data-kind^=two]', ['two']],
    ['[class="price old"], .note', ['49', 'Note']],
    ['ul li li', ['inner']],
    ['body > li', []],
    ['*.price', ['39', '49']],
  ])('%s finds %j', (text, found) => expect(textsAt(text)).toEqual(found));

  it.each([
    '',
    '>',
    'a >',
    '> a',
    'a > > b',
    'a:has(b)',
    'a:not(.b)',
    'a + b',
    'a,,b',
    'a{',
    'x'.repeat(500),
    'a '.repeat(31),
  ])('%j is refused with a reason', (text) => expect(readSelector(text)).toHaveProperty('problem'));

  it('takes a look at each element, however deep the page and however many steps', () => {
    const deep = `<html><body>${'<div>'.repeat(500)}x`;
    const selector = readSelector(`${'div '.repeat(29)}p`);
    expect('problem' in selector ? selector : selectIn(parseHTML(deep).document, selector)).toEqual([]);
  });
});
