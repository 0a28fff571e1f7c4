/** A match as JSON text on one line, with the payload as it is stored: the same fields as in a list. */
import type { Match } from '../../domain/match.ts';
import { highlightToJson, matchHead } from '../shapes.ts';

export function matchText(match: Match): string {
  const head = JSON.stringify(matchHead(match));
  const highlights = JSON.stringify(match.highlights.map(highlightToJson));
  return `${head.slice(0, -1)},"payload":${payloadText(match)},"highlights":${highlights}}`;
}

/** JSON from a sender may have line breaks between its parts, and a line break would end the event of a stream. */
function payloadText(match: Match): string {
  const { json } = match;
  // The payload is parsed when it is looked at, so that it is not looked at without need.
  return json === undefined || /[\r\n]/.test(json) ? JSON.stringify(match.payload) : json;
}
