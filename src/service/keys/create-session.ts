/** Create Session: signs the console in. */
import { z } from 'zod';
import { time } from '../shapes.ts';
import { operation } from './room.ts';

export const createSession = operation({
  name: 'createSession',
  summary: 'Open a console session',
  description:
    'Returns a token that stands for the calling key. The console keeps it in a cookie. The session ends after twelve hours, after one idle hour, or when the key stops working.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ session: z.string(), expires_at: time }),
  example: {
    input: {},
    output: { session: 'q0WmZ3…', expires_at: '2026-11-15T20:30:00.123Z' },
  },
  async run({ sessions }, caller) {
    const { token, endsAt } = await sessions.open(caller);
    return { session: token, expires_at: endsAt.toISOString() };
  },
});
