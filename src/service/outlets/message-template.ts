/** The schema of message templates, and what is wrong with one. */
import { z } from 'zod';
import { CHANNEL_TEXTS } from '../../delivery/templates/channel-text.ts';
import { fieldsOfDigest, fieldsOfMatch, type MessageFields } from '../../delivery/templates/fields.ts';
import {
  EMPTY_MESSAGE,
  isProblem,
  LONGEST_TEMPLATE,
  type MessageTemplate,
  parseTemplate,
} from '../../delivery/templates/template.ts';
import { TemplateFault } from '../../delivery/templates/template-problems.ts';
import type { Match } from '../../domain/match.ts';
import { digestOfItems, heldItem } from '../../wakes/digest.ts';
import { type Issue, invalidArgument } from '../errors.ts';

export const templateText = z.string().min(1).max(LONGEST_TEMPLATE);

export const MESSAGE_FORMATS = ['slack', 'discord', 'telegram', 'ntfy', 'teams', 'matrix', 'email', 'feed'] as const;
export type MessageFormat = (typeof MESSAGE_FORMATS)[number];

/** A match to try templates on, where there is no other. */
export const SAMPLE_POST: Match = {
  id: 'match_01k3zqa4g9j1c8q5d7w3n6h2xe',
  createdAt: new Date('2026-11-15T08:30:00.123Z'),
  position: 0,
  platform: 'x',
  platformPostId: '1900000000000000000',
  ruleId: 'rule_01k3zq8m7e5w9c2t4r6y8p0a1b',
  ruleName: 'Volcano news',
  ruleVersion: 1,
  payload: {
    data: { id: '1900000000000000000', text: 'The volcano is erupting again: lava reaches the road.', author_id: '7' },
    includes: { users: [{ id: '7', username: 'ada' }] },
  },
  highlights: [],
  source: 'push',
  storyFirst: true,
};

/** The fields of a digest of these matches. */
export const digestToTry = (matches: readonly Match[]): MessageFields =>
  fieldsOfDigest(digestOfItems(matches.map(heldItem), MOST_STORIES));

const MOST_STORIES = 20;

/** Why a webhook of this format cannot have this template. */
export function templateIssues(format: string, template: unknown): Issue[] {
  if (typeof template !== 'string' || template === '' || template.length > LONGEST_TEMPLATE) return [];
  if (!Object.hasOwn(CHANNEL_TEXTS, format))
    return [
      {
        path: 'template',
        message: `A webhook of the format ${format} takes no template. These do: ${MESSAGE_FORMATS.slice(0, -1).join(', ')}.`,
      },
    ];
  const parsed = parseTemplate(template);
  if (isProblem(parsed)) return [{ path: 'template', message: parsed.message, position: parsed.position }];
  return [fieldsOfMatch(SAMPLE_POST), digestToTry([SAMPLE_POST])].flatMap((fields) => faultOf(parsed, fields));
}

/** A template may have nothing to say of one match, and something of another. */
function faultOf(template: MessageTemplate, fields: MessageFields): Issue[] {
  try {
    template.write(fields);
    return [];
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    return error.message === EMPTY_MESSAGE ? [] : [{ path: 'template', message: error.message }];
  }
}

/** The template, which was looked at when it was given. Throws for one that is wrong. */
export function readTemplate(text: string): MessageTemplate {
  const parsed = parseTemplate(text);
  if (isProblem(parsed))
    throw invalidArgument([{ path: 'template', message: parsed.message, position: parsed.position }]);
  return parsed;
}
