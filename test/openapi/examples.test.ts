/** Every example of the OpenAPI document is sent to a server, and the answer is held to the document's own schemas. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi } from '../../src/http/openapi.ts';
import { ROUTES, readRoute } from '../../src/http/routes.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { type ExampleStage, exampleStage } from './example-stage.ts';
import { schemaJudge } from './schemas.ts';

interface Described {
  readonly requestBody?: { readonly content: Record<string, { readonly schema: { readonly $ref?: string } }> };
  readonly responses: Record<
    string,
    { readonly content: Record<string, { readonly schema: { readonly $ref: string } }> }
  >;
}

const document = (await openApi('0.0.0')) as { paths: Record<string, Record<string, Described>>; components?: unknown };
const judge = schemaJudge(document);
const nameOf = (ref: string): string => ref.slice('#/components/schemas/'.length);

function described(name: OperationName): Described {
  const { methods, path } = readRoute(ROUTES[name]);
  return document.paths[path]![methods[0]!.toLowerCase()]!;
}

const answerOf = (name: OperationName): string =>
  nameOf(described(name).responses['200']!.content['application/json']!.schema.$ref);

/** Reading comes first, ending something later, and the rule, with which much ends and which comes back, last. */
function turnOf(name: OperationName): number {
  if (name === 'restoreRule') return 4;
  if (name === 'deleteRule') return 3;
  if (/^(delete|revoke|end)/.test(name)) return 2;
  return operations[name].access === 'read' ? 0 : 1;
}
const names = (Object.keys(operations) as OperationName[]).toSorted((one, other) => turnOf(one) - turnOf(other));

describe('the examples of the OpenAPI document', () => {
  let stage: ExampleStage;
  beforeAll(async () => {
    stage = await exampleStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it.each(names)('%s: the example is executed, and its answer is as the document says', async (name) => {
    const { status, body } = await stage.execute(name);
    expect(body).not.toHaveProperty('code');
    expect(status).toBe(200);
    expect(judge.problems(answerOf(name), body)).toEqual([]);
  });

  it.each(names)('%s: the example fits the schemas of the document', (name) => {
    const { input, output } = operations[name].example;
    expect(judge.problems(answerOf(name), output)).toEqual([]);
    const ref = described(name).requestBody?.content['application/json']?.schema.$ref;
    expect(ref === undefined ? [] : judge.problems(nameOf(ref), input)).toEqual([]);
  });

  it('are judged: an answer without a field is refused, one with a new field is not', () => {
    const { id: _, ...without } = operations.getRule.example.output;
    expect(judge.problems('Rule', without)).toEqual([" must have required property 'id'"]);
    expect(judge.problems('Rule', { ...operations.getRule.example.output, added: 1 })).toEqual([]);
    expect(judge.problems('DeleteRuleRequest', { rule_id: 'r', added: 1 })).not.toEqual([]);
  });

  it('of errors fit the one shape', () => {
    const { responses } = (
      document as unknown as { components: { responses: Record<string, Described['responses'][string]> } }
    ).components;
    for (const { content } of Object.values(responses)) {
      const { examples } = content['application/json'] as unknown as { examples: Record<string, { value: unknown }> };
      for (const { value } of Object.values(examples)) expect(judge.problems('Error', value)).toEqual([]);
    }
  });
});
