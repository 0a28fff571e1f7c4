/** Firehose's error bodies. They are undocumented; these follow the framework that Firehose seems to use. */
import type { Answer } from '../http.ts';

const message = (status: number, text: string): Answer => ({ status, body: { message: text } });

export const UNAUTHENTICATED = message(401, 'Unauthenticated.');
export const OUT_OF_CREDIT = message(402, 'No prepaid credit left. Top up to open new stream connections.');
export const FORBIDDEN = message(403, 'This resource belongs to another organization.');
export const NOT_FOUND = message(404, 'Not found.');
export const NOT_JSON = message(400, 'The request body is not valid JSON.');

export const invalid = (field: string, text: string): Answer => ({
  status: 422,
  body: { message: text, errors: { [field]: [text] } },
});

export const limitReached = (text: string): Answer => message(422, text);

export const tooManyAttempts = (seconds: number): Answer => ({
  ...message(429, 'Too Many Attempts.'),
  headers: seconds > 0 ? { 'retry-after': String(seconds) } : {},
});
