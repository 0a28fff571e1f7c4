/** The interface description: two independent judges, and the schemas against their own examples. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApi } from '../src/http/openapi.ts';
import { ROUTES, readRoute } from '../src/http/routes.ts';
import { type OperationName, operations } from '../src/service/operations/operations.ts';

const document = { ...openApi('0.0.0'), servers: [{ url: 'https://sluice.test' }] };
const names = Object.keys(operations) as OperationName[];

describe('the OpenAPI document', () => {
  it('has no problem in the eyes of redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual(
      [],
    );
  });

  it('is valid in the eyes of the OpenAPI schema', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
  });

  it('says version 1', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1' } });
  });

  it.each(names)('has %s, with examples that its own schemas accept', (name) => {
    const { input, output, example } = operations[name];
    expect(input.safeParse(example.input).error).toBeUndefined();
    expect(output.safeParse(example.output).error).toBeUndefined();
    const paths = (document as unknown as { paths: Record<string, Record<string, { operationId: string }>> }).paths;
    const { methods, path } = readRoute(ROUTES[name]);
    expect(paths[path]?.[methods[0]!.toLowerCase()]?.operationId).toBe(name);
  });
});
