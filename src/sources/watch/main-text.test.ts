import { describe, expect, it } from 'vitest';
import { mainText } from './main-text.ts';

const SCRIPT = '<script>for(var i=0;i<n;i++)f("it\'s <p class=x")</script>';
const OFFER = '<h1>Lamp</h1><p>39.90</p>';

describe('the text of a page', () => {
  it.each([
    ['with a script in it', `<head><title>Shop</title></head><body>${SCRIPT}${OFFER}</body>`, {}],
    ['with a script in its part', `<body><div id="p">${SCRIPT}${OFFER}</div></body>`, { select: '#p' }],
    ['with a script beside what is ignored', `<body>${SCRIPT}<i>1</i>${OFFER}</body>`, { ignore: ['i'] }],
    ['whose head is not closed', `<head><title>Shop</title><meta charset=utf-8><body>${OFFER}</body>`, {}],
    ['whose head is not closed, without a body', `<head><title>Shop</title><style>a<b{}</style>${OFFER}`, {}],
  ])('%s is what readers see', (_, html, wish) =>
    expect(mainText(Buffer.from(`<html>${html}</html>`), 'text/html', 'https://a.example/', wish).text).toBe(
      'Lamp\n39.90',
    ),
  );

  it.each([
    ['<html><body><div id=root></div><script src=a.js></script></body></html>', true],
    ['<html><head><title>App</title></head><div id=root></div><script src=a.js></script></html>', true],
    ['<!doctype html><meta charset=utf-8><div id=root></div>', true],
    ['<html><head><title>App</title></head><body></body></html>', false],
  ])('is none in %s: blank %s', (html, isBlank) => {
    const article = mainText(Buffer.from(html), 'text/html', 'https://a.example/');
    expect([article.text, article.isBlank]).toEqual(['', isBlank]);
  });

  it('has its title beside it, also where the head is not closed', () => {
    const html = `<head><title>Shop</title><body>${OFFER}`;
    expect(mainText(Buffer.from(html), 'text/html', 'https://a.example/').title).toBe('Shop');
  });
});
