/** Certificates: issued only where coverage allows it, accepted offline by two verifiers, and refused after any change. */
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../bench/random.ts';
import { verifyCertificate } from '../packages/client/src/index.ts';
import { createChainSigner } from '../src/base/signed-chain.ts';
import { CERTIFICATE_TITLE, FIRST_CERTIFICATE_TITLE } from '../src/domain/certificate.ts';
import { hasPython, judgedByPython, mutationsOf, refusalOf, sampleCertificate } from './campaign/certificates.ts';
import { fakeClock } from './stages/fake-clock.ts';
import { openService } from './stages/service.ts';

const SEED = 20_261_115;
/** A judge says this of one that is genuine. */
const VALID = { refused: 0, valid: 1 };
const mutants = mutationsOf(sampleCertificate(), 300, randomFrom(SEED));

const UNCOVERED = [
  ['sources that do not cover the span', { complete_through: '2026-11-15T08:59:59.999Z' }],
  ['a source that was read too late', { reads_since: '2026-11-15T08:00:00.001Z' }],
] as const;

const UNCOUNTED = [{ first_cursor: null }, { first_cursor: null, last_cursor: null }];

/** The sample with another line for each source, signed by the right key. */
function signedWith(change: object, title = CERTIFICATE_TITLE): Buffer {
  const lines = sampleCertificate().toString().split('\n').slice(1, -3);
  const entries = lines.map((line) => JSON.parse(line.slice(65)) as { kind: string });
  const changed = entries.map((entry) => (entry.kind === 'source' ? { ...entry, ...change } : entry));
  return Buffer.from(createChainSigner(Buffer.alloc(32, 7), 'a test').sign(title, changed));
}

describe('a certificate', () => {
  it('is accepted, and refused after any change', async () => {
    const reasons = await Promise.all(mutants.map(refusalOf));
    expect(
      reasons.filter((reason) => reason === undefined),
      `seed ${SEED}`,
    ).toEqual([]);
    expect(await verifyCertificate(sampleCertificate())).toMatchObject({ gaps: 1, matches: 3 });
  });

  it('says how many events each source brought, between which cursors', async () => {
    expect(await verifyCertificate(sampleCertificate())).toMatchObject({
      sources: [{ events: 12, first_cursor: '1', last_cursor: '9' }],
    });
    for (const change of UNCOUNTED)
      expect(await refusalOf(signedWith(change))).toBe('A source has events and no cursors.');
  });

  it('of the first version is still valid', async () => {
    const first = signedWith(
      { cursor: '9', events: undefined, first_cursor: undefined, last_cursor: undefined },
      FIRST_CERTIFICATE_TITLE,
    );
    expect(await verifyCertificate(first)).toMatchObject({ matches: 3, sources: [{ events: null }] });
    expect(hasPython ? judgedByPython([first]) : VALID).toEqual(VALID);
  });

  it.each(UNCOVERED)('with %s is refused, however well it is signed', async (_, change) => {
    expect(await refusalOf(signedWith(change))).toBe('Its sources do not cover the span.');
  });
});

describe.runIf(hasPython)('python: a certificate', () => {
  it('is accepted by the verifier that shares no code with us, and refused after any change', () => {
    expect(judgedByPython(mutants), `seed ${SEED}`).toEqual({ refused: mutants.length, valid: 0 });
    expect(judgedByPython([sampleCertificate()])).toEqual({ refused: 0, valid: 1 });
  });

  it('with events and no cursors is refused by it', () => {
    expect(judgedByPython(UNCOUNTED.map((change) => signedWith(change)))).toEqual({ refused: 2, valid: 0 });
  });

  it.each(UNCOVERED)('with %s is refused by it, however well it is signed', (_, change) => {
    expect(judgedByPython([signedWith(change)])).toEqual({ refused: 1, valid: 0 });
  });
});

describe('certify', () => {
  const at = (minutes: number) => new Date(Date.parse('2026-11-15T08:30:00Z') + minutes * 60_000);

  async function stage() {
    const clock = fakeClock();
    const test = await openService({ clock });
    const caller = await test.caller('ada');
    const { feeds, ingest } = test.service.context;
    const live = async (through: Date) => {
      feeds.report({ platform: 'x', kind: 'source', name: 'bluesky', state: 'live', reason: undefined, through });
      await feeds.flush();
    };
    await live(clock.now());
    clock.jump(60_000);
    const rule = { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } };
    const { rule_id } = await test.call(caller, 'createRule', rule);
    const certify = (from: number, to: number) =>
      test.call(caller, 'certify', { rule_id, from: at(from).toISOString(), to: at(to).toISOString() });
    const post = async (id: string, text: string) => {
      const cursor = { name: 'source:bluesky', value: `after ${id}`, reading: { source: 'bluesky', events: 1 } };
      const added = ingest.add('x', [{ data: { id, text } }], 'bluesky', cursor);
      await clock.pass(1_000);
      await added;
    };
    return {
      clock,
      test,
      caller,
      rule_id,
      live,
      certify,
      post,
      [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
    };
  }

  it('states what was read and what matched, and nothing where nothing matched', async () => {
    await using stand = await stage();
    const { clock, live, certify, post } = stand;
    clock.jump(10 * 60_000);
    await post('bluesky:1', 'lava flows');
    await post('bluesky:2', 'all is calm');
    clock.jump(10 * 60_000);
    await live(clock.now());
    const { certificate, matches, public_key } = await certify(2, 20);
    expect(matches).toBe(1);
    expect(await verifyCertificate(certificate)).toMatchObject({
      publicKey: public_key,
      claim: { rule_id: stand.rule_id, rule_version: 1, from: at(2).toISOString(), to: at(20).toISOString() },
      sources: [
        {
          platform: 'x',
          name: 'bluesky',
          events: 2,
          first_cursor: 'after bluesky:1',
          last_cursor: 'after bluesky:2',
        },
      ],
      matches: 1,
    });
    expect(certificate).toContain('"post_id":"bluesky:1"');
    expect(hasPython ? judgedByPython([Buffer.from(certificate)]) : VALID).toEqual(VALID);
    expect((await certify(12, 20)).matches).toBe(0);
  });

  it('is refused for what is not complete, and says which gaps there are', async () => {
    await using stand = await stage();
    const { clock, live, certify, test } = stand;
    clock.jump(30 * 60_000);
    await live(at(20));
    const refused = (reason: object) => ({ code: 'failed_precondition', ...reason });
    await expect(certify(2, 25)).rejects.toMatchObject(refused({}));
    await expect(certify(-10, 10)).rejects.toMatchObject(
      refused({ message: expect.stringContaining('The rule exists') }),
    );
    await expect(certify(2, 60)).rejects.toMatchObject(refused({ message: expect.stringContaining('future') }));
    await certify(2, 20);
    const gap = { platform: 'x', source: 'bluesky', from: at(5), to: at(6), cause: 'source_down:bluesky' } as const;
    await test.store.noteGaps([{ ...gap, recovered: false }]);
    await expect(certify(2, 20)).rejects.toMatchObject(
      refused({ details: { gaps: [{ cause: 'source_down:bluesky' }] } }),
    );
    await certify(7, 20);
    await test.store.noteGaps([{ ...gap, recovered: true }]);
    expect((await certify(2, 20)).certificate).toContain('"cause":"source_down:bluesky","recovered":true');
    await test.store.noteGaps([{ ...gap, cause: 'source_unwitnessed:bluesky', recovered: true }]);
    await expect(certify(2, 20)).rejects.toMatchObject(refused({}));
  });

  it('is refused when the rule was changed within the span, and where only pushes feed the platform', async () => {
    await using stand = await stage();
    const { clock, live, certify, test, caller, rule_id } = stand;
    clock.jump(5 * 60_000);
    await test.call(caller, 'updateRule', { rule_id, overrides: { x: 'lava OR ash' } });
    clock.jump(20 * 60_000);
    await live(clock.now());
    await expect(certify(2, 20)).rejects.toMatchObject({ message: expect.stringContaining('was changed') });
    await certify(7, 20);
    const firehose = { name: 'Pages', intent: '', platforms: ['firehose'], overrides: { firehose: 'lava' } };
    const pages = await test.call(caller, 'createRule', firehose);
    clock.jump(60_000);
    const span = { from: at(26.5).toISOString(), to: at(26.9).toISOString() };
    const answer = test.call(caller, 'certify', { rule_id: pages.rule_id, ...span });
    await expect(answer).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});
