import type { INodeProperties } from 'n8n-workflow';
import { ruleField } from '../../http/rule-options.ts';

const show = (...operation: string[]) => ({ show: { resource: ['rule'], operation } });

const text = (displayName: string, name: string, placeholder: string): INodeProperties => ({
  displayName,
  name,
  type: 'string',
  typeOptions: { rows: 2 },
  default: '',
  placeholder,
  description: 'The text of the rule in the language of this platform. Leave it empty where the rule should not watch.',
});

const texts = [
  text('Text for X Posts', 'x', 'e.g. (volcano OR lava) -game'),
  text('Text for Web Pages', 'firehose', 'e.g. title:volcano'),
];

export const ruleFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['rule'] } },
    options: [
      {
        name: 'Create',
        value: 'create',
        action: 'Create a rule',
        description: 'Create a rule on one or both platforms',
      },
      {
        name: 'Delete',
        value: 'delete',
        action: 'Delete a rule',
        description: 'Delete a rule with its matches; it can be restored for 7 days',
      },
      { name: 'Get', value: 'get', action: 'Get a rule', description: 'Retrieve one rule' },
      { name: 'Get Many', value: 'getAll', action: 'Get many rules', description: 'Retrieve the rules of the account' },
      { name: 'Pause', value: 'pause', action: 'Pause a rule', description: 'Keep the matches and take no new ones' },
      {
        name: 'Preview',
        value: 'preview',
        action: 'Preview a rule',
        description: 'See what texts would have matched lately, without creating a rule',
      },
      { name: 'Resume', value: 'resume', action: 'Resume a rule', description: 'Take new matches again' },
      {
        name: 'Update',
        value: 'update',
        action: 'Update a rule',
        description: 'Change the name, the intent or the texts',
      },
    ],
    default: 'getAll',
  },
  {
    ...ruleField('getRules'),
    required: true,
    displayOptions: show('get', 'update', 'pause', 'resume', 'delete'),
  },
  { displayName: 'Name', name: 'name', type: 'string', default: '', required: true, displayOptions: show('create') },
  {
    displayName: 'Intent',
    name: 'intent',
    type: 'string',
    default: '',
    placeholder: 'e.g. Tell me when a volcano erupts.',
    description: 'What the rule is for, in plain words. Relevance is judged by it.',
    displayOptions: show('create'),
  },
  ...texts.map((field) => ({ ...field, displayOptions: show('create', 'preview') })),
  {
    displayName: 'Changes',
    name: 'changes',
    type: 'collection',
    placeholder: 'Add change',
    default: {},
    description: 'What is not listed stays as it is',
    displayOptions: show('update'),
    options: [
      { displayName: 'Intent', name: 'intent', type: 'string', default: '' },
      { displayName: 'Name', name: 'name', type: 'string', default: '' },
      {
        displayName: 'Text for Web Pages',
        name: 'firehose',
        type: 'string',
        default: '',
        description: 'An empty text takes the rule off this platform',
      },
      {
        displayName: 'Text for X Posts',
        name: 'x',
        type: 'string',
        default: '',
        description: 'An empty text takes the rule off this platform',
      },
    ],
  },
];
