/** Judges values by the schemas of one of our documents, with a validator that is not ours. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface Judge {
  /** The problems of a value, in the validator's words; empty when there are none. */
  problems(name: string, value: unknown): string[];
}

/** The problems of a value by one schema that stands alone. */
export function problemsBySchema(schema: object, value: unknown): string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  void validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

export function schemaJudge({ components }: { readonly components?: unknown }): Judge {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ components }, 'document');
  return {
    problems(name, value) {
      const validate = ajv.getSchema(`document#/components/schemas/${name}`);
      if (validate === undefined) return [`there is no schema ${name}`];
      void validate(value);
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    },
  };
}
