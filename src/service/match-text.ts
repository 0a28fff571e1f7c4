/** A match as JSON text on one line, with the payload as it is stored: the same fields as in a list. */
import type { Match } from '../domain/match.ts';
import { highlightToJson } from './shapes.ts';

export function matchText(match: Match): string {
  const head = JSON.stringify({
    id: match.id,
    created_at: match.createdAt.toISOString(),
    platform: match.platform,
    platform_post_id: match.platformPostId,
    rule_id: match.ruleId,
    rule_name: match.ruleName,
    rule_version: match.ruleVersion,
  });
  const highlights = JSON.stringify(match.highlights.map(highlightToJson));
  return `${head.slice(0, -1)},"payload":${payloadText(match)},"highlights":${highlights}}`;
}

/** JSON as somebody wrote it may have line breaks between its parts, and a line break ends an event of a stream. */
const payloadText = ({ json, payload }: Match): string =>
  json === undefined || /[\r\n]/.test(json) ? JSON.stringify(payload) : json;
