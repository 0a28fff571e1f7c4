import { describe, expect, it } from 'vitest';
import { failureIn } from '../server.ts';
import { firehoseRule, type Stage } from './stage.ts';

export function eventCases({ call, push, post, createRule, matchesOf }: Stage): void {
  describe('events in', () => {
    it('rejects a bad line alone and numbers it', async () => {
      const answer = await call('POST', '/events?platform=x', undefined, {
        raw: '{"data":{"id":"1","text":"ok"}}\nnot json\n\n{"data":{"text":"no id"}}\n{"data":{"id":"2","text":"ok"}}\n',
        headers: { 'content-type': 'application/x-ndjson' },
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ accepted: 2, rejected: [{ line: 2 }, { line: 4 }] });
    });

    it('rejects a line that is not UTF-8 alone', async () => {
      const bytes = Buffer.concat([
        Buffer.from('{"data":{"id":"1","text":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}}\n{"data":{"id":"2","text":"ok"}}'),
      ]);
      const answer = await call('POST', '/events?platform=x', undefined, {
        raw: bytes,
        headers: { 'content-type': 'application/x-ndjson' },
      });
      expect(answer.body).toMatchObject({ accepted: 1, rejected: [{ line: 1 }] });
    });

    it('takes pages, which need an id or a url', async () => {
      const rule_id = await createRule(firehoseRule('title:glacier'));
      const page = {
        url: 'https://ice.test/a',
        title: 'Glacier news',
        diff: { chunks: [{ typ: 'ins', text: 'it moves' }] },
      };
      expect((await push('firehose', [page, page, { title: 'glacier' }])).body).toMatchObject({
        accepted: 2,
        matches: 1,
        rejected: [{ line: 3 }],
      });
      expect(await matchesOf({ rule_id })).toMatchObject([{ platform: 'firehose', payload: page }]);
      await post('/api.DeleteRule', { rule_id });
    });

    it('needs a known platform and the right content type', async () => {
      expect(failureIn(await push('web', [{}]))).toBe('400 invalid_argument');
      expect(
        failureIn(
          await call('POST', '/events', undefined, {
            raw: '{}',
            headers: { 'content-type': 'application/x-ndjson' },
          }),
        ),
      ).toBe('400 invalid_argument');
      expect(failureIn(await call('POST', '/events?platform=x', {}))).toBe('415 invalid_argument');
    });

    it('takes 8 MiB and no more', async () => {
      const pushLines = (size: number) =>
        call('POST', '/events?platform=x', undefined, {
          // Blank lines of a kibibyte each: an event would be one line of it.
          raw: `${' '.repeat(1_023)}\n`.repeat(size / 1_024).padEnd(size, '\n'),
          headers: { 'content-type': 'application/x-ndjson' },
        });
      expect((await pushLines(8 * 1024 * 1024)).status).toBe(200);
      expect(failureIn(await pushLines(8 * 1024 * 1024 + 1))).toBe('413 invalid_argument');
    });
  });
}
