/** The rules of the account, to choose from. */
import type { ILoadOptionsFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { askSluice } from './request.ts';

async function ruleOptions(context: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { rules } = await askSluice<{ rules: { id: string; name: string; paused: boolean }[] }>(
    context,
    'GET /api.ListRules',
  );
  return rules
    .map(({ id, name, paused }) => ({ name: paused ? `${name} (paused)` : name, value: id }))
    .toSorted((left, right) => left.name.localeCompare(right.name));
}

export const loadOptions = {
  getRules(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
    return ruleOptions(this);
  },
  async getRulesOrAll(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
    return [{ name: 'All Rules', value: '' }, ...(await ruleOptions(this))];
  },
};

const CHOOSE =
  'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>';

export const ruleField = (loadOptionsMethod: keyof typeof loadOptions): INodeProperties => ({
  displayName: 'Rule Name or ID',
  name: 'ruleId',
  type: 'options',
  typeOptions: { loadOptionsMethod },
  default: '',
  description: CHOOSE,
});

export const platformField: INodeProperties = {
  displayName: 'Platform',
  name: 'platform',
  type: 'options',
  options: [
    { name: 'All Platforms', value: '' },
    { name: 'Web Pages (Firehose)', value: 'firehose' },
    { name: 'X Posts', value: 'x' },
  ],
  default: '',
  description: 'Where the post or page is from',
};
