/** The operations of the node on rules. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { askSluice } from '../../http/request.ts';
import type { Action } from './action.ts';

const ruleOf = (context: IExecuteFunctions, itemIndex: number) => ({
  rule_id: context.getNodeParameter('ruleId', itemIndex) as string,
});

/** The platforms that have a text, with the texts. */
function textsOf(context: IExecuteFunctions, itemIndex: number) {
  const given = (['x', 'firehose'] as const)
    .map((platform) => [platform, (context.getNodeParameter(platform, itemIndex, '') as string).trim()] as const)
    .filter(([, text]) => text !== '');
  if (given.length === 0)
    throw new NodeOperationError(context.getNode(), 'The rule has no text', {
      itemIndex,
      description: 'Enter a text for X posts, for web pages, or for both.',
    });
  return { platforms: given.map(([platform]) => platform), overrides: Object.fromEntries(given) };
}

const setPaused =
  (paused: boolean): Action =>
  (context, itemIndex) =>
    askSluice(context, 'POST /api.UpdateRule', { input: { ...ruleOf(context, itemIndex), paused }, itemIndex });

export const ruleActions: Readonly<Record<string, Action>> = {
  create: (context, itemIndex) =>
    askSluice(context, 'POST /api.CreateRule', {
      itemIndex,
      // A request that n8n or a proxy sends twice makes one rule.
      headers: { 'Idempotency-Key': randomUUID() },
      input: {
        name: context.getNodeParameter('name', itemIndex) as string,
        intent: context.getNodeParameter('intent', itemIndex, '') as string,
        ...textsOf(context, itemIndex),
      },
    }),

  get: (context, itemIndex) => askSluice(context, 'GET /api.GetRule', { query: ruleOf(context, itemIndex), itemIndex }),

  async getAll(context, itemIndex) {
    const { rules } = await askSluice<{ rules: IDataObject[] }>(context, 'GET /api.ListRules', { itemIndex });
    return context.getNodeParameter('returnAll', itemIndex)
      ? rules
      : rules.slice(0, context.getNodeParameter('limit', itemIndex));
  },

  update(context, itemIndex) {
    const { x, firehose, ...changes } = context.getNodeParameter('changes', itemIndex, {}) as IDataObject;
    const overrides = {
      ...(x !== undefined && { x: x === '' ? null : x }),
      ...(firehose !== undefined && { firehose: firehose === '' ? null : firehose }),
    };
    const input = {
      ...ruleOf(context, itemIndex),
      ...changes,
      ...(Object.keys(overrides).length > 0 && { overrides }),
    };
    return askSluice(context, 'POST /api.UpdateRule', { input, itemIndex });
  },

  pause: setPaused(true),
  resume: setPaused(false),

  delete: (context, itemIndex) =>
    askSluice(context, 'POST /api.DeleteRule', { input: ruleOf(context, itemIndex), itemIndex }),

  preview: (context, itemIndex) =>
    askSluice(context, 'POST /api.PreviewRule', { input: textsOf(context, itemIndex), itemIndex }),
};
