/** A query as a `tsquery`. A field of text is a weight, where rules name two; a value of another field is a lexeme with the field's name. */
import type { Platform } from '../../src/domain/platform.ts';
import type { Query } from '../../src/rules/query.ts';
import { isExact, joinParts } from './event-texts.ts';
import { type FieldText, TEXT_FIELDS } from './peer.ts';

/** The weight of each field of text, in the order of `TEXT_FIELDS`. */
const WEIGHTS = ['D', 'A'];

/** Bytes; longer ones are no lexemes. */
const LONGEST = 2_000;

/** Returns undefined where a `tsquery` cannot say it. `weighted` where rules name more than one field of text. */
export function toTsquery(query: Query, platform: Platform, weighted: boolean): string | undefined {
  const write = (part: Query): string | undefined => toTsquery(part, platform, weighted);
  const lexemeOf = (field: string) => (text: string) => {
    const weight = weighted ? WEIGHTS[TEXT_FIELDS[platform].indexOf(field)] : undefined;
    return quoted(toLexeme({ field, text }, platform)) + (weight === undefined ? '' : `:${weight}`);
  };
  switch (query.kind) {
    case 'term':
      return lexemeOf(query.field)(query.term);
    case 'phrase':
      return isExact(query) ? joinParts(query.terms.map(lexemeOf(query.field)), ' <-> ') : undefined;
    case 'prefix': {
      const [lexeme, weight] = lexemeOf(query.field)(query.prefix).split(/:(?=[A-D]$)/);
      return `${lexeme}:*${weight ?? ''}`;
    }
    case 'all':
      return joinParts(query.of.map(write), ' & ');
    case 'any':
      return joinParts(query.of.map(write), ' | ');
    case 'not':
      return joinParts(['!', write(query.query)], '');
    default:
      return undefined;
  }
}

/** The word itself, or the field's name and the value. */
export const toLexeme = ({ field, text }: FieldText, platform: Platform): string =>
  TEXT_FIELDS[platform].includes(field) ? text : Buffer.from(`${field}/${text}`).subarray(0, LONGEST).toString();

const quoted = (lexeme: string): string => `'${lexeme.replace(/['\\]/g, '$&$&')}'`;
