import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { HttpAnswer, HttpRequest } from './fetch-url.ts';
import { createPolite } from './polite.ts';

const answered = (url: string, given: Partial<HttpAnswer> = {}): HttpAnswer => ({
  status: 200,
  url,
  headers: {},
  body: Buffer.alloc(0),
  retryAfter: undefined,
  ...given,
});

/** Every request is answered at once; `log` has the seconds and the address of each. */
function stage(
  answer: (request: HttpRequest) => Promise<HttpAnswer> = async ({ url }) => answered(url),
  pauseMs = 1_000,
) {
  const clock = fakeClock();
  const began = clock.elapsed();
  const log: [number, string][] = [];
  const note = (url: string) => void log.push([(clock.elapsed() - began) / 1_000, url]);
  const get = (request: HttpRequest) => {
    note(request.url);
    return answer(request);
  };
  const polite = createPolite({ clock, http: { get }, pauseMs });
  return { clock, log, note, polite };
}

const { signal } = new AbortController();
const ONE = 'https://one.example/a';
const TWO = 'https://two.example/a';

describe('a host', () => {
  it('is asked once a second, others meanwhile', async () => {
    const { clock, log, polite } = stage();
    const all = [ONE, ONE, TWO, ONE].map((url) => polite.get({ url, signal }));
    await clock.pass(10_000);
    await Promise.all(all);
    expect(log.toSorted(([one], [other]) => one - other)).toEqual([
      [0, ONE],
      [0, TWO],
      [1, ONE],
      [2, ONE],
    ]);
  });

  it('is left its pause also when the request before was given up', async () => {
    const given = new AbortController();
    const { clock, log, polite } = stage();
    await polite.get({ url: ONE, signal: given.signal });
    given.abort();
    const next = polite.get({ url: ONE, signal });
    await clock.pass(5_000);
    await next;
    expect(log).toEqual([
      [0, ONE],
      [1, ONE],
    ]);
  });

  it('has its pause before a redirect, and that of the host that it leads to', async () => {
    const redirecting = async ({ url, onRedirect }: HttpRequest) => {
      if (url === TWO) return answered(url);
      for (const to of [`${ONE}/b`, TWO]) {
        await onRedirect!(to);
        note(to);
      }
      return answered(TWO);
    };
    const { clock, log, note, polite } = stage(redirecting);
    const all = [ONE, TWO].map((url) => polite.get({ url, signal }));
    await clock.pass(500);
    const later = polite.get({ url: TWO, signal });
    await clock.pass(10_000);
    await Promise.all([...all, later]);
    // Two hosts have no order among them.
    expect(log.toSorted(([one, url], [other, by]) => one - other || url.localeCompare(by))).toEqual([
      [0, ONE],
      [0, TWO],
      [1, `${ONE}/b`],
      [1, TWO],
      [2, TWO],
    ]);
  });

  it('that asks for a longer pause gets it from the next request on', async () => {
    const { clock, log, polite } = stage();
    await polite.get({ url: ONE, signal });
    polite.slowDown(ONE, 20_000);
    const next = polite.get({ url: ONE, signal });
    await clock.pass(60_000);
    await next;
    expect(log.map(([seconds]) => seconds)).toEqual([0, 20]);
  });

  it('is kept from others for a minute at most, whatever pause a source asks for', async () => {
    const { clock, log, polite } = stage(undefined, 1e12);
    await polite.get({ url: ONE, signal });
    const next = polite.get({ url: ONE, signal });
    await clock.pass(60_000);
    await next;
    expect(log.map(([seconds]) => seconds)).toEqual([0, 60]);
  });

  it('is forgotten when it is idle, and remembered while it wants no requests', async () => {
    const { clock, polite } = stage(async ({ url }) =>
      url === ONE ? answered(url, { status: 429, retryAfter: 3_600 }) : answered(url),
    );
    await polite.get({ url: ONE, signal });
    for (let at = 0; at < 5_000; at++) {
      await polite.get({ url: `https://host${at}.example/`, signal });
      clock.jump(10);
    }
    expect(polite.hosts).toBeLessThan(600);
    await expect(polite.get({ url: ONE, signal })).rejects.toThrow('one.example wants no requests at the moment.');
  });
});
