import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** What one operation of the node makes of one item. */
export type Action = (context: IExecuteFunctions, itemIndex: number) => Promise<IDataObject | IDataObject[]>;
