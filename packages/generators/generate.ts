/** Clients as strangers generate them from our OpenAPI document. They need another TypeScript than the project has. */
import openapiTS, { astToString } from 'openapi-typescript';
import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';

interface Described {
  readonly components: { readonly schemas: object };
}

export const typesByOpenApiTypescript = async (document: object): Promise<string> =>
  astToString(await openapiTS(JSON.stringify(document)));

/** Times stay texts: to read them, the generated code would need a package that Python does not bring. */
export async function pythonByQuicktype({ components }: Described): Promise<string> {
  const schemas = JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/definitions/');
  const input = new JSONSchemaInput(undefined);
  await input.addSource({ name: 'Sluice', uris: ['#/definitions/'], schema: `{"definitions":${schemas}}` });
  const inputData = new InputData();
  inputData.addInput(input);
  return (await quicktype({ inputData, lang: 'python', inferDateTimes: false })).lines.join('\n');
}
