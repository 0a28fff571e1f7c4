/** The interface description: two independent judges, and the schemas against their own examples. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApi } from '../../src/http/openapi.ts';
import { ROUTES, readRoute } from '../../src/http/routes.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';

const document = { ...(await openApi('0.0.0')), servers: [{ url: 'https://sluice.test' }] };
const names = Object.keys(operations) as OperationName[];

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly responses: Record<string, { readonly $ref?: string } | undefined>;
}
const described = document as unknown as {
  paths: Record<string, Record<string, DescribedOperation>>;
  tags: { name: string }[];
  components: { schemas: Record<string, object> };
};
const everyOperation = () => Object.values(described.paths).flatMap((methods) => Object.values(methods));

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
    const { methods, path } = readRoute(ROUTES[name]);
    expect(described.paths[path]?.[methods[0]!.toLowerCase()]?.operationId).toBe(name);
  });

  it('has a type for each noun, and one name for no two shapes', () => {
    const schemas = Object.keys(described.components.schemas);
    expect(schemas).toEqual(
      expect.arrayContaining(['Rule', 'Match', 'Story', 'Webhook', 'Delivery', 'Key', 'Alert', 'Coverage', 'Error']),
    );
    expect(new Set(schemas.map((name) => name.toLowerCase())).size).toBe(schemas.length);
  });

  it('has one error for everything that is not listed, in every operation', () => {
    const without = everyOperation().filter(
      ({ responses }) => responses['default']?.$ref !== '#/components/responses/Error',
    );
    expect(without.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('leaves every answer open for new fields, and every request closed', () => {
    const closed = Object.entries(described.components.schemas).filter(([, schema]) =>
      JSON.stringify(schema).includes('"additionalProperties":false'),
    );
    expect(closed.map(([name]) => name).filter((name) => !name.endsWith('Request'))).toEqual([]);
    const requests = Object.keys(described.components.schemas).filter((name) => name.endsWith('Request'));
    expect(closed.map(([name]) => name)).toEqual(requests);
  });

  it('has every operation under one noun, and no noun without operations', () => {
    const used = everyOperation().flatMap(({ tags }) => tags);
    expect(used).toHaveLength(everyOperation().length);
    expect([...new Set(used)].toSorted()).toEqual(described.tags.map(({ name }) => name).toSorted());
  });
});
