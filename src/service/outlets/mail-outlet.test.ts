import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { createSeal } from '../../delivery/webhooks/seal.ts';
import { MAX_MAIL_CONFIRMATIONS, MAX_MAIL_CONFIRMATIONS_OF_ADDRESS } from '../limits.ts';
import { createMailOutlet } from './mail-outlet.ts';

const DAY = 86_400_000;
const settings = { url: 'smtp://127.0.0.1:1', from: 'sluice@sluice.example' };

function stage(domains?: readonly string[]) {
  const clock = fakeClock();
  const seal = createSeal(randomBytes(32));
  const outlet = createMailOutlet({ clock, seal, publicUrl: 'https://sluice.example//' }, { ...settings, domains });
  const token = (...parts: unknown[]) => Buffer.from(seal.seal(JSON.stringify(parts)), 'base64').toString('base64url');
  const link = { accountId: 'a', webhookId: 'w', url: 'mailto:ada@a.example' };
  const tokenFor = (use: string) => token(use, link.accountId, link.webhookId, link.url, clock.now().getTime());
  return { clock, outlet, link, token, tokenFor };
}

describe('a link in a mail', () => {
  it('that confirms works for seven days', async () => {
    const { clock, outlet, link, tokenFor } = stage();
    const token = tokenFor('mail-confirm');
    expect(outlet.read('confirm', token)).toEqual(link);
    await clock.pass(7 * DAY);
    expect(outlet.read('confirm', token)).toEqual(link);
    await clock.pass(1);
    expect(outlet.read('confirm', token)).toBeUndefined();
  });

  it('that unsubscribes works for ever', async () => {
    const { clock, outlet, link, tokenFor } = stage();
    const token = tokenFor('mail-unsubscribe');
    await clock.pass(1_000 * DAY);
    expect(outlet.read('unsubscribe', token)).toEqual(link);
  });

  it('does nothing else than what it was written for, and nothing when another server wrote it', () => {
    const { outlet, tokenFor } = stage();
    expect(outlet.read('unsubscribe', tokenFor('mail-confirm'))).toBeUndefined();
    expect(outlet.read('confirm', tokenFor('mail-unsubscribe'))).toBeUndefined();
    expect(outlet.read('confirm', tokenFor('confirm'))).toBeUndefined();
    expect(outlet.read('confirm', stage().tokenFor('mail-confirm'))).toBeUndefined();
    expect(outlet.read('confirm', '')).toBeUndefined();
  });
});

describe('the recipients of mail', () => {
  it('may be anywhere, unless the operator named domains', () => {
    expect(stage().outlet.problem('mailto:ada@any.example')).toBeUndefined();
    const { outlet } = stage(['a.example', 'b.example']);
    expect(outlet.problem('mailto:ada@b.example')).toBeUndefined();
    expect(outlet.problem('mailto:ada@c.example')).toBe('This server sends mail to a.example, b.example alone.');
    // A text that is no address is refused elsewhere.
    expect(outlet.problem('https://c.example/')).toBeUndefined();
  });

  it('are asked a few times a day each, and an account may have more of them asked', async () => {
    const { clock, outlet } = stage();
    const taken = ({ allow }: { allow: (name: string) => boolean }, most: number) =>
      Array.from({ length: most + 1 }, () => allow('one')).filter(Boolean).length;
    const { ofAddress, ofAccount } = outlet.asked;
    const counts = () => [
      taken(ofAddress, MAX_MAIL_CONFIRMATIONS_OF_ADDRESS),
      taken(ofAccount, MAX_MAIL_CONFIRMATIONS),
    ];
    expect(counts()).toEqual([MAX_MAIL_CONFIRMATIONS_OF_ADDRESS, MAX_MAIL_CONFIRMATIONS]);
    const midnight = DAY - (clock.now().getTime() % DAY);
    await clock.pass(midnight - 1);
    expect(counts()).toEqual([0, 0]);
    await clock.pass(1);
    expect(counts()).toEqual([MAX_MAIL_CONFIRMATIONS_OF_ADDRESS, MAX_MAIL_CONFIRMATIONS]);
  });
});
