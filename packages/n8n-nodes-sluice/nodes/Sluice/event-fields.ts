import type { INodeProperties } from 'n8n-workflow';

const show = { show: { resource: ['event'], operation: ['push'] } };

export const eventFields: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['event'] } },
    options: [
      {
        name: 'Push',
        value: 'push',
        action: 'Push an event',
        description: 'Hand a post or page of your own to the rules',
      },
    ],
    default: 'push',
  },
  {
    displayName: 'Kind',
    name: 'eventPlatform',
    type: 'options',
    noDataExpression: true,
    options: [
      { name: 'Web Page', value: 'firehose' },
      { name: 'X Post', value: 'x' },
    ],
    default: 'x',
    displayOptions: show,
  },
  {
    displayName: 'Event',
    name: 'event',
    type: 'json',
    default: '={{ $json }}',
    description:
      'The post or page as the platform sends it, for instance {"data":{"ID":"1","text":"Lava!"}}. Pushing it again adds no second match.',
    displayOptions: show,
  },
];
