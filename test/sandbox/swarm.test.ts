/** Cuts at any byte, and any faults together: what a reader gets is a beginning of the truth, and the sandbox stands. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATALOGUE, type FaultName } from '../../sandbox/faults/catalogue.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { call, lavaSandbox } from './reader.ts';

const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: 1, maxLength: 6 });
const faults = fc.array(fc.constantFrom(...(Object.keys(CATALOGUE) as FaultName[])), { minLength: 2, maxLength: 6 });

/** Everything that an undisturbed reader of X gets. */
const whole = (posts: readonly string[], rule: string) =>
  Buffer.from(
    posts
      .map((text, at) => {
        const id = String(1_001 + at);
        const data = { edit_history_tweet_ids: [id], id, text: `lava ${text}` };
        return `${JSON.stringify({ data, matching_rules: [{ id: rule, tag: 'volcano' }] })}\r\n`;
      })
      .join(''),
  );

describe('the sandbox', () => {
  it('cuts a stream of X after exactly so many bytes', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.double({ min: 0, max: 1, noNaN: true }), async (posts, part) => {
        await using sandbox = await lavaSandbox();
        const bytes = whole(posts, sandbox.rule.x.id);
        const after = 1 + Math.floor(part * (bytes.length - 1));
        sandbox.throwFault('X4', { after_bytes: after });
        const stream = await sandbox.x();
        sandbox.posts(...posts);
        await stream.over();
        expect(stream.bytes()).toEqual(bytes.subarray(0, after));
        const complete = bytes.subarray(0, after).toString('latin1').split('\r\n').length - 1;
        expect(sandbox.sent).toHaveLength(complete);
      }),
      { numRuns: 40 },
    );
  });

  it('cuts a stream of Firehose anywhere, and a reader that resumes has every update once', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.nat(600), { maxLength: 4 }), async (pages, cuts) => {
        await using sandbox = await lavaSandbox();
        const cursors = sandbox.pages(...pages);
        const seen: string[] = [];
        for (const after_bytes of [...cuts, undefined]) {
          if (after_bytes !== undefined) sandbox.throwFault('F2', { after_bytes });
          else sandbox.clearFaults();
          const left = cursors.length - seen.length;
          if (left === 0) break;
          const last = seen.at(-1);
          const stream = await sandbox.firehose(`?limit=${left}${last === undefined ? '&since=1h' : ''}`, {
            headers: last === undefined ? {} : { 'last-event-id': last },
          });
          await stream.over();
          const events = stream.text().split('\n\n').slice(0, -1);
          seen.push(...events.flatMap((event) => /^id: (.*)$/m.exec(event)?.[1] ?? []));
        }
        expect(seen).toEqual(cursors);
      }),
      { numRuns: 40 },
    );
  });

  it('stands whatever is thrown at once', async () => {
    await fc.assert(
      fc.asyncProperty(faults, async (names) => {
        const clock = fakeClock();
        await using sandbox = await lavaSandbox({ clock, xLevel: 'enterprise' });
        for (const name of names) {
          sandbox.throwFault(name);
          let isSettled = false;
          const calls = Promise.allSettled([
            sandbox.x(),
            sandbox.x('?backfill_minutes=5'),
            sandbox.firehose('?since=1h'),
            sandbox.call('/2/tweets/search/stream/rules', { method: 'POST', body: { add: [{ value: name }] } }),
            sandbox.call('/v1/rules', { method: 'POST', body: { value: name } }),
          ]).finally(() => {
            isSettled = true;
          });
          // Some answers wait for time to pass.
          while (!isSettled) await clock.pass(1_000);
          await calls;
          sandbox.posts('one', 'two');
          sandbox.pages('one', 'two');
          await clock.pass(60_000);
        }
        sandbox.clearFaults();
        await clock.pass(3_600_000);
        expect((await call(`${sandbox.url}/sandbox/faults`)).status).toBe(200);
        expect((await sandbox.call('/v1/rules')).status).toBe(200);
        expect((await sandbox.call('/2/tweets/search/stream/rules')).status).toBe(200);
      }),
      { numRuns: 20 },
    );
  });
});
