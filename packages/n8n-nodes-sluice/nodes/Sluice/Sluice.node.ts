import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { asNodeError } from '../../http/refusal.ts';
import { loadOptions } from '../../http/rule-options.ts';
import type { Action } from './action.ts';
import { eventFields } from './event-fields.ts';
import { matchActions } from './match-actions.ts';
import { matchFields } from './match-fields.ts';
import { type Line, lineOf, pushLines, requestsOf } from './push-events.ts';
import { ruleActions } from './rule-actions.ts';
import { ruleFields } from './rule-fields.ts';

const ACTIONS: Readonly<Record<string, Readonly<Record<string, Action>>>> = { rule: ruleActions, match: matchActions };

export class Sluice implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Sluice',
    name: 'sluice',
    icon: { light: 'file:../../icons/sluice.svg', dark: 'file:../../icons/sluice.dark.svg' },
    group: ['input'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Watches live posts and web pages by rules',
    defaults: { name: 'Sluice' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'sluiceApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'Event', value: 'event' },
          { name: 'Match', value: 'match' },
          { name: 'Rule', value: 'rule' },
        ],
        default: 'match',
      },
      ...ruleFields,
      ...matchFields,
      ...eventFields,
    ],
  };

  methods = { loadOptions };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const resource = this.getNodeParameter('resource', 0);
    const operation = this.getNodeParameter('operation', 0);
    if (resource === 'event') return [await pushAll(this)];
    const action = ACTIONS[resource]?.[operation];
    if (action === undefined)
      throw new NodeOperationError(this.getNode(), `The operation ${operation} of ${resource} is not known`, {
        description: 'Choose an operation from the list.',
      });
    const found: INodeExecutionData[] = [];
    for (const itemIndex of this.getInputData().keys()) {
      try {
        for (const json of [await action(this, itemIndex)].flat())
          found.push({ json, pairedItem: { item: itemIndex } });
      } catch (error) {
        found.push(failed(this, itemIndex, error));
      }
    }
    return [found];
  }
}

/** The item that stands for a failure, where the settings of the node let the workflow go on. */
function failed(context: IExecuteFunctions, itemIndex: number, error: unknown): INodeExecutionData {
  const shown = asNodeError(context.getNode(), error);
  if (!context.continueOnFail()) throw shown;
  const { message, description } = shown;
  return {
    json: { error: message, ...(description && { remedy: description }) },
    pairedItem: { item: itemIndex },
  };
}

async function pushAll(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  const results = new Map<number, INodeExecutionData>();
  const lines: Line[] = [];
  for (const itemIndex of context.getInputData().keys()) {
    try {
      lines.push(lineOf(context, itemIndex));
    } catch (error) {
      results.set(itemIndex, failed(context, itemIndex, error));
    }
  }
  for (const request of requestsOf(lines)) {
    const pushed = await pushLines(context, request).catch((error: unknown) => asNodeError(context.getNode(), error));
    for (const { itemIndex } of request)
      results.set(
        itemIndex,
        pushed instanceof Map
          ? resultOf(context, itemIndex, pushed.get(itemIndex))
          : failed(context, itemIndex, pushed),
      );
  }
  return [...results].toSorted(([left], [right]) => left - right).map(([, item]) => item);
}

function resultOf(context: IExecuteFunctions, itemIndex: number, refused: string | undefined): INodeExecutionData {
  if (refused === undefined) return { json: { accepted: true }, pairedItem: { item: itemIndex } };
  const description = 'Items that were accepted stay accepted: sending them again adds no second match.';
  return failed(context, itemIndex, new NodeOperationError(context.getNode(), refused, { itemIndex, description }));
}
