/** Request ids: the log has each request under its id. */
import { randomBytes } from 'node:crypto';

const PROCESS = randomBytes(8).toString('hex');
let requests = 0;

/** Unlike any other: a random part for the process, and a count. */
export const newRequestId = (): string => `req_${PROCESS}${(++requests).toString(36).padStart(6, '0')}`;

/** A caller's own request id is kept when it is one that can stand in a log. */
export const requestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : newRequestId();
