import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSeal } from './seal.ts';

it('opens with its own key alone, and not when it was changed', () => {
  const seal = createSeal(randomBytes(32));
  const sealed = seal.seal('whsec_abc');
  expect(sealed).not.toContain('abc');
  expect(seal.unseal(sealed)).toBe('whsec_abc');
  expect(createSeal(randomBytes(32)).unseal(sealed)).toBeUndefined();
  expect(seal.unseal(`${sealed.slice(0, -4)}AAA=`)).toBeUndefined();
});

it('opens nothing of a secret that is cut short, at whatever byte', () => {
  const seal = createSeal(randomBytes(32));
  const bytes = Buffer.from(seal.seal('whsec_abc'), 'base64');
  for (let length = 0; length < bytes.length; length++)
    expect(seal.unseal(bytes.subarray(0, length).toString('base64'))).toBeUndefined();
});

it('seals one secret twice to two texts, so that neither tells of the other', () => {
  const seal = createSeal(randomBytes(32));
  expect(seal.seal('whsec_abc')).not.toBe(seal.seal('whsec_abc'));
});
