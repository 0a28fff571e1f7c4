/**
 * The interface of now against that of the last release. What breaks a program that was written for the release needs a
 * line in `ALLOWED`, with the reason. `npm run docs -- --release` writes the documents of a new release.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asyncApi } from '../../src/http/asyncapi.ts';
import { openApi } from '../../src/http/openapi.ts';
import { ROUTES, readRoute } from '../../src/http/routes.ts';
import { type AsyncApiDocument, asyncApiChanges, type OpenApiDocument, openApiChanges } from './document-changes.ts';

const SECOND_METHOD = 'It is still answered: an operation with two methods is described once.';

const ALLOWED: Readonly<Record<string, string>> = {
  'GET /api.ListDeliveries was removed': SECOND_METHOD,
  'POST /api.ListKeys was removed': SECOND_METHOD,
  'POST /api.ListRules was removed': SECOND_METHOD,
  'POST /api.ListWebhooks was removed': SECOND_METHOD,
  'POST /events: answer matches is no longer always there':
    'It is absent only from the answer to `ack=log`, which no program of the release asks for.',
};

const FOLDER = join(import.meta.dirname, '../../docs/api');
const released = readdirSync(FOLDER).toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));
const last = released.at(-1)!;

const read = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, last, name), 'utf8'));
/** The first release had no description of its messages. */
const hasMessages = existsSync(join(FOLDER, last, 'asyncapi.json'));

describe(`since ${last}`, () => {
  it('nothing breaks but what is allowed, and nothing is allowed that does not break', async () => {
    const changes = [
      ...openApiChanges(read('openapi.json') as OpenApiDocument, (await openApi('')) as unknown as OpenApiDocument),
      ...(hasMessages
        ? asyncApiChanges(
            read('asyncapi.json') as AsyncApiDocument,
            (await asyncApi('')) as unknown as AsyncApiDocument,
          )
        : []),
    ];
    expect([...new Set(changes)].toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
  });

  it('a second method that is no longer described is still answered', () => {
    const answered = Object.values(ROUTES).flatMap((route) => {
      const { methods, path } = readRoute(route);
      return methods.map((method) => `${method} ${path} was removed`);
    });
    const second = Object.keys(ALLOWED).filter((line) => ALLOWED[line] === SECOND_METHOD);
    expect(second.filter((line) => !answered.includes(line))).toEqual([]);
  });

  it('every release after the first has both documents', () => {
    expect(released.slice(1).filter((version) => !existsSync(join(FOLDER, version, 'asyncapi.json')))).toEqual([]);
  });
});
