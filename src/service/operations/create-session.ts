/** Create Session: signs the console in. */
import { z } from 'zod';
import { time } from '../shapes.ts';
import { operation } from './operation.ts';

export const createSession = operation({
  name: 'createSession',
  summary: 'Open a session of the console',
  description:
    'Gives a token that stands for the key it was made with. The console keeps it in a cookie. It ends after twelve hours, after one idle hour, or with its key.',
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
