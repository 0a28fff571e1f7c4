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
