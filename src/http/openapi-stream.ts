/** The stream in the OpenAPI document: it is no operation, since its answer never ends. */
import { streamInput } from '../service/matches/open-stream.ts';
import { STREAM_EVENTS } from '../service/webhooks/message-shapes.ts';
import type { JsonObject } from './json-schemas.ts';
import { failures, header, parameter, queryParameters } from './openapi-parts.ts';
import { MATCH_STREAM_PATH } from './stream.ts';

const EXAMPLE = `event: match
id: Zr7uXc2dLe9sHn4T
data: {"id":"match_01k3zqb2v4n8s6d0f3h5j7k9m1","created_at":"2026-11-15T08:30:00.123Z","platform":"x"}
`;

const END_REASONS = STREAM_EVENTS.end.shape.reason.options.map((reason) => `\`${reason}\``).join(', ');

const DESCRIPTION = `Every match after a cursor, then new ones as they are stored. Each is an event \`match\`, its \`data\` one match as List Matches has it, its \`id\` the cursor to resume from. A \`gap\` tells of a time without coverage; \`coverage\` tells how far the stream can be relied on, when it is opened and every 15 seconds from then on; \`digest\` tells of what a wake contract (\`wake\`, \`at_most\`, \`min_relevance\`, \`quiet\`) held; \`end\` says why the server ends the stream (${END_REASONS}). A heartbeat comes every 15 seconds when there is nothing else. A cursor older than what is kept is refused with \`details.reason: "cursor_expired"\`.

Needs a key of scope \`read\` or \`full\`, or a ticket from Create Stream Ticket.`;

const TICKET = parameter('ticket', 'For browsers, instead of a key: good for one connection.');
const LAST_EVENT_ID = parameter('Last-Event-ID', 'The id of the last event that was seen.', { in: 'header' });

export function streamOperation(): JsonObject {
  return {
    [MATCH_STREAM_PATH]: {
      get: {
        operationId: 'streamMatches',
        tags: ['matches'],
        summary: 'Stream matches',
        description: DESCRIPTION,
        parameters: [...queryParameters(streamInput), TICKET, LAST_EVENT_ID],
        responses: {
          200: {
            description: 'Server-sent events, without end.',
            headers: { 'X-Request-Id': header('RequestId') },
            content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
          },
          ...failures([400, 401, 403, 404, 429, 500, 503]),
        },
      },
    },
  };
}
