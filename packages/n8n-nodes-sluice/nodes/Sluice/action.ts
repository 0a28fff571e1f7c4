import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** An operation of the node on one item. */
export type Action = (context: IExecuteFunctions, itemIndex: number) => Promise<IDataObject | IDataObject[]>;
