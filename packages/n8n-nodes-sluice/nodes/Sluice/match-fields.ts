import type { INodeProperties } from 'n8n-workflow';
import { platformField, ruleField } from '../../http/rule-options.ts';

const show = (...operation: string[]) => ({ show: { resource: ['match'], operation } });

const filterText = (displayName: string, name: string, description: string): INodeProperties => ({
  displayName,
  name,
  type: 'string',
  default: '',
  description,
});

const filters: INodeProperties[] = [
  filterText('Author', 'author', 'Only posts by this author: a name with or without @, or an ID'),
  filterText('Domain', 'domain', 'Only pages of this domain, and posts that link to it'),
  filterText('Language', 'language', 'Only in this language, for instance en'),
  {
    displayName: 'Least Relevance',
    name: 'min_relevance',
    type: 'number',
    typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
    default: 0.5,
    description: 'Only matches of this relevance or more, 0 to 1',
  },
  {
    displayName: 'Rating',
    name: 'rating',
    type: 'options',
    options: [
      { name: 'Irrelevant', value: 'irrelevant' },
      { name: 'Relevant', value: 'relevant' },
    ],
    default: 'relevant',
    description: 'Only matches that were rated so',
  },
  filterText(
    'Since',
    'since',
    'Only matches that were stored at or after this time, for instance 2026-11-15T08:30:00Z',
  ),
  filterText('Source', 'source', 'Only events that this source brought'),
  filterText('Story ID', 'story_id', 'Only matches of this story'),
  filterText('Text', 'text', 'Only matches whose text or title contains this'),
  filterText('Until', 'until', 'Only matches that were stored before this time, for instance 2026-11-15T08:30:00Z'),
];

export const matchFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['match'] } },
    options: [
      {
        name: 'Explain',
        value: 'explain',
        action: 'Explain a match',
        description: 'Say for each part of the rule whether it holds for the match',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many matches',
        description: 'Retrieve matches, the newest first',
      },
      {
        name: 'Rate',
        value: 'rate',
        action: 'Rate a match',
        description: 'Say that a match is relevant or irrelevant, or take that back',
      },
      {
        name: 'Wait',
        value: 'wait',
        action: 'Wait for a match',
        description: 'Wait until a new match is stored, or the time is over',
      },
    ],
    default: 'getAll',
  },
  {
    displayName: 'Match ID',
    name: 'matchId',
    type: 'string',
    default: '',
    required: true,
    displayOptions: show('explain', 'rate'),
  },
  {
    displayName: 'Rating',
    name: 'rating',
    type: 'options',
    options: [
      { name: 'Irrelevant', value: 'irrelevant' },
      { name: 'None', value: 'none', description: 'Take the rating back' },
      { name: 'Relevant', value: 'relevant' },
    ],
    default: 'relevant',
    displayOptions: show('rate'),
  },
  { ...ruleField('getRulesOrAll'), displayOptions: show('getAll', 'wait') },
  { ...platformField, displayOptions: show('getAll', 'wait') },
  {
    displayName: 'Wait for',
    name: 'seconds',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 3600 },
    default: 60,
    description: 'Seconds to wait. Without a match the item has timed_out: true.',
    displayOptions: show('wait'),
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
    displayOptions: { show: { operation: ['getAll'] } },
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: { show: { operation: ['getAll'], returnAll: [false] } },
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add filter',
    default: {},
    displayOptions: show('getAll'),
    options: filters,
  },
];
