import type { ClientRequest } from 'node:http';
import type { SecureContext } from 'node:tls';

/**
 * Node's own `http`. An import of it reads each of its names, and one of them loads a second HTTP client that nothing here
 * uses: a twentieth of the time that a start takes.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');

/** Interim answers (1xx) that come before the answer itself. One is usual. */
const MOST = 20;

/**
 * Ends a request whose host goes on saying that the answer comes later. Each one costs about as much as an answer, and Node
 * reads two megabytes of them in one turn of the event loop.
 */
export function limitInterimAnswers(sent: ClientRequest): void {
  let count = 0;
  sent.on('information', () => {
    if (++count === MOST) sent.destroy(Object.assign(new Error('Too many interim answers.'), { code: 'ENOANSWER' }));
  });
}

/** The certificates that are trusted. Node makes a context of them for each connection that is given none, which takes two fifths of a request. */
export function trusted(): () => SecureContext {
  let context: SecureContext | undefined;
  return () => (context ??= process.getBuiltinModule('node:tls').createSecureContext());
}
