import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { plainText } from './plain-text.ts';

describe('plain text', () => {
  it.each([
    ['<p>One</p><p>two&nbsp;three</p>', 'One\ntwo three'],
    ['a<br>b<br/>c', 'a\nb\nc'],
    ['it&#x27;s &lt;b&gt; &amp; &hellip; &#146; &unknown; AT&T', "it's <b> & … ’ &unknown; AT&T"],
    ['<script>if (a < b) alert("</p>")</script>seen<style>p{}</style>', 'seen'],
    ['<a title="a > b" href=\'x\'>link</a> and <!-- a > comment -->text', 'link and text'],
    ['5 < 6 and 7 > 3', '5 < 6 and 7 > 3'],
    ['<script>for(let i=0;i<n;i++) f("it\'s")</script>seen', 'seen'],
    ['<SCRIPT>a<b</script x><Style>p>a{content:"<"}</STYLE\n>seen', 'seen'],
    ['seen<script>if (a<b) f()</scripts><p>not seen', 'seen'],
    ['<noscript><img alt="it\'s></noscript><iframe><p title="</iframe>seen', 'seen'],
    ['<textarea>a<b and <script></textarea>seen', 'a<b and <script>seen'],
    ['<p>Two <textarea>s<p>and more', 'Two s\nand more'],
    ['<script src="a"/>seen', 'seen'],
    ['<head><title>The <script> tag</title><meta charset=utf-8><body>seen', 'seen'],
    ['<head><title>Status</title></head>seen', 'seen'],
    ['<title>Status</title><p>seen', 'Status\nseen'],
    ['<p>never closed', 'never closed'],
    ['text <a href="never closed', 'text <a href="never closed'],
    ['<img alt="x"/>after <svg><title>hidden</title></svg>it', 'after it'],
  ])('%s says %s', (html, text) => expect(plainText(html)).toBe(text));

  it('comes of any string, and of long hostile ones soon', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 200 }), (html) => typeof plainText(html) === 'string'),
    );
    const pieces = ['<a ', '<a "', "<!--'", '<!', '&#', '<script>', '<textarea>', '<title></script>', '</', '\n '];
    for (const piece of pieces) plainText(piece.repeat(60_000), Number.POSITIVE_INFINITY);
  });
});
