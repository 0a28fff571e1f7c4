import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

export class SluiceApi implements ICredentialType {
  name = 'sluiceApi';

  displayName = 'Sluice API';

  icon = { light: 'file:../icons/sluice.svg', dark: 'file:../icons/sluice.dark.svg' } as const;

  documentationUrl = 'https://sluice.example/docs/guides/n8n.md';

  properties: INodeProperties[] = [
    {
      displayName: 'Address',
      name: 'url',
      type: 'string',
      default: 'http://127.0.0.1:4800',
      placeholder: 'e.g. https://sluice.example.com',
      description: 'Where the Sluice server listens, without a path unless a proxy adds one',
      required: true,
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description:
        'A key of scope read is enough for the Sluice Trigger and for reading. Changes, ratings and webhooks need scope full.',
      required: true,
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.url.replace(new RegExp("/+$"), "")}}',
      url: '/api.Status',
      disableFollowRedirect: true,
    },
  };
}
