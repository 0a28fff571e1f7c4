import type { ClientRequest } from 'node:http';

/** Interim answers (1xx) that come before the answer itself. One is usual. */
const MOST = 20;

/**
 * Ends a request whose host goes on saying that the answer comes later. Each one costs about as much as an answer, and Node
 * reads two megabytes of them in one turn of the event loop.
 */
export function limitInterimAnswers(request: ClientRequest): void {
  let count = 0;
  request.on('information', () => {
    if (++count === MOST) request.destroy(Object.assign(new Error('Too many interim answers.'), { code: 'ENOANSWER' }));
  });
}
