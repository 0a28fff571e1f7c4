import { expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { StoreError } from '../../store/error.ts';
import { startStream } from './open-stream.ts';

it('tells a client to try again when the store cannot be read', async () => {
  await using test = await openService();
  const alice = await test.caller('alice');
  const latest = () => Promise.reject(new StoreError('unwritable', 'The disk is gone.'));
  const context = { ...test.service.context, store: { ...test.store, latest } };
  await expect(startStream(context, alice, {}, undefined)).rejects.toMatchObject({
    code: 'unavailable',
    retryAfter: 1,
  });
});
