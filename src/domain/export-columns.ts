/** The type of a column of an export. `json`: the value as JSON text. `time`: to the millisecond, UTC. */
type ColumnType = 'text' | 'json' | 'time' | 'integer' | 'number' | 'boolean';

export interface ExportColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** Without it every row has a value. */
  readonly optional?: true;
}

/** The columns of exported matches, in this order. Each is the field of that name in a listed match. New ones come last. */
export const EXPORT_COLUMNS = [
  { name: 'id', type: 'text' },
  { name: 'created_at', type: 'time' },
  { name: 'platform', type: 'text' },
  { name: 'platform_post_id', type: 'text' },
  { name: 'rule_id', type: 'text' },
  { name: 'rule_name', type: 'text' },
  { name: 'rule_version', type: 'integer' },
  { name: 'payload', type: 'json' },
  { name: 'highlights', type: 'json' },
  { name: 'edit_of', type: 'text', optional: true },
  { name: 'event_id', type: 'text' },
  { name: 'source', type: 'text', optional: true },
  { name: 'story_id', type: 'text', optional: true },
  { name: 'story_first', type: 'boolean' },
  { name: 'demo', type: 'boolean', optional: true },
  { name: 'relevance', type: 'number', optional: true },
  { name: 'rating', type: 'text', optional: true },
  { name: 'judged', type: 'json', optional: true },
] as const satisfies readonly ExportColumn[];
