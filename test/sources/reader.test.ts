/** The thread that reads feeds and pages. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { openDocumentReader } from '../../src/sources/reading/document-reader.ts';
import { hasSharedData, sharedLines } from '../stages/shared-data.ts';

const bytes = (text: string) => Buffer.from(text);

describe('reader', () => {
  it('reads feeds and pages out of the way, one after another', async () => {
    await using reader = openDocumentReader(systemClock);
    const [feed, page, none] = await Promise.all([
      reader.feed({
        bytes: bytes('<rss><item><title>A</title></item></rss>'),
        contentType: undefined,
        url: 'https://a.example',
      }),
      reader.page({ bytes: bytes('<title>B</title><p>text</p>'), contentType: 'text/html', url: 'https://b.example' }),
      reader.feed({ bytes: bytes('nothing'), contentType: undefined, url: 'https://c.example' }),
    ]);
    expect([feed?.entries[0]?.title, page.title, page.text, none]).toEqual(['A', 'B', 'B\ntext', undefined]);
  });

  it('leaves the event loop free while it reads a large page', async () => {
    await using reader = openDocumentReader(systemClock);
    const large = bytes(
      `<title>Large</title>${'<div><p>Storm after storm has reached the coast.</p></div>'.repeat(4_000)}`,
    );
    let turns = 0;
    let isDone = false;
    const reading = reader.page({ bytes: large, contentType: 'text/html', url: 'https://a.example' }).finally(() => {
      isDone = true;
    });
    for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect((await reading).title).toBe('Large');
    expect(turns).toBeGreaterThan(50);
  });
});

describe.runIf(hasSharedData)('shared: reader', () => {
  it('is not ended by any feed', async () => {
    await using reader = openDocumentReader(systemClock);
    const cases = sharedLines<{ body_base64: string }>('pages/feed-test-cases.ndjson.gz');
    const documents = cases.map(({ body_base64 }) => Buffer.from(body_base64, 'base64'));
    const read = await Promise.all(
      documents.map((one) => reader.feed({ bytes: one, contentType: undefined, url: 'https://a.example' })),
    );
    expect(read.filter((feed) => feed !== undefined).length).toBeGreaterThan(documents.length * 0.9);
  });
});
