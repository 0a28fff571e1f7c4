import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { loadOptions, platformField, ruleField } from '../../http/rule-options.ts';
import { newMatches, type Place, sampleMatch, type Wanted } from './new-matches.ts';

/** Polls that are under way. n8n begins the next poll of a node also when the last one takes longer than the interval. */
const underWay = new Set<string>();

export class SluiceTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Sluice Trigger',
    name: 'sluiceTrigger',
    icon: { light: 'file:../../icons/sluice.svg', dark: 'file:../../icons/sluice.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["event"] === "story" ? "New story" : "New match"}}',
    description: 'Starts the workflow with each new match of a rule, or each new story, once',
    defaults: { name: 'Sluice Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'sluiceApi', required: true }],
    properties: [
      {
        displayName: 'Event',
        name: 'event',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'New Match', value: 'match', description: 'A post or page matches a rule' },
          {
            name: 'New Story',
            value: 'story',
            description: 'The first match of a story; the matches that tell the same are left out',
          },
        ],
        default: 'match',
      },
      ruleField('getRulesOrAll'),
      platformField,
      {
        displayName: 'Most Matches per Poll',
        name: 'most',
        type: 'number',
        typeOptions: { minValue: 1, maxValue: 1000 },
        default: 500,
        description: 'How many matches one poll reads at most. The next poll goes on where this one ended.',
      },
    ],
  };

  methods = { loadOptions };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    const wanted = wantedOf(this);
    if (this.getMode() === 'manual') {
      const sample = await sampleMatch(this, wanted);
      if (sample !== undefined) return [this.helpers.returnJsonArray([sample])];
      throw new NodeOperationError(this.getNode(), 'There is no match to try the workflow with', {
        description: 'Sluice has not stored one yet. Publish the workflow, and it starts with the first match.',
      });
    }
    const poll = `${this.getWorkflow().id}:${this.getNode().id}`;
    if (underWay.has(poll)) return null;
    underWay.add(poll);
    try {
      const kept = this.getWorkflowStaticData('node');
      const { matches, place } = await newMatches(this, wanted, kept.place as Place | undefined);
      // n8n stores this together with the items that start the workflow.
      kept.place = place;
      return matches.length === 0 ? null : [this.helpers.returnJsonArray([...matches])];
    } finally {
      underWay.delete(poll);
    }
  }
}

function wantedOf(context: IPollFunctions): Wanted {
  const ruleId = context.getNodeParameter('ruleId', '') as string;
  const platform = context.getNodeParameter('platform', '') as string;
  return {
    filter: { ...(ruleId !== '' && { rule_id: ruleId }), ...(platform !== '' && { platform }) },
    storiesOnly: context.getNodeParameter('event', 'match') === 'story',
    most: context.getNodeParameter('most', 500) as number,
  };
}
