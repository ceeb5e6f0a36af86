/** The tables of a store, as they are the same in each kind of store. A copy takes them in this order. */
export interface CopiedTable {
  readonly name: string
  /** The columns that give each row its place. */
  readonly key: readonly string[]
  /** All of them, with those of the key. */
  readonly columns: readonly string[]
  /** The columns that have bytes instead of text. */
  readonly bytes: readonly string[]
}

/** A value of a column. Truth is 0 or 1; bytes are `\\x` and hexadecimal digits. */
export type CopiedCell = string | number | null
/** The values of a table's columns, in their order. */
export type CopiedRow = readonly CopiedCell[]
/** The place of a row: the values of its key. */
export type CopiedKey = readonly (string | number)[]

function table(name: string, key: string, columns: string, bytes: readonly string[] = []): CopiedTable {
  return { name, key: key.split(' '), columns: `${key} ${columns}`.split(' '), bytes }
}

export const COPIED_TABLES: readonly CopiedTable[] = [
  table('threads', 'number', 'id created_at audited_after runs_audited_after'),
  table('events', 'thread seq', 'at run_id kind data'),
  table('inputs', 'thread input_id', 'seq'),
  table('exports', 'thread', 'record'),
  table('imports', 'number', 'bundle_id thread_id record'),
  table(
    'runs',
    'number',
    'id thread agent status hold_scope parent_run_id checkpoint_id ended created_at updated_at lease_owner lease_until fence failure retry_at',
  ),
  table(
    'holds',
    'number',
    'id run_id thread_id agent call_id kind status tool assignee opened_at due_at on_due level reminded wake_at votes asked decision',
  ),
  table('grants', 'number', 'id agent tool expires_at revoked_at revoked_by uses given'),
  table('audit', 'seq', 'record hash'),
  table('cursors', 'name', 'seq'),
  table(
    'tasks',
    'number',
    'id status newest kind title subject details workdir timeout_ms created_at updated_at cancel_requested_by host',
  ),
  table(
    'task_invocations',
    'number',
    'task n status argv asked_by surface asked_at started_at ended_at supervisor process exit_code signal error stdout_bytes stderr_bytes',
  ),
  table('access', 'number', 'id kind name role digest created_at created_by expires_at revoked_at revoked_by'),
  table(
    'notices',
    'number',
    'id hold_id event about at person channel address status tries next_at claimed_until unsure stale sent sent_at digest error refused_with created_at',
  ),
  table('links', 'digest', 'hold_id person channel level assignee created_at expires_at used_at'),
  table('sessions', 'number', 'id kind name role groups proof digest created_at expires_at ended_at ended_by'),
  table('subscriptions', 'number', 'id name session_id token_id endpoint p256dh auth created_at'),
  table('push_keys', 'one', 'public_key private_key'),
  table('graph_checkpoints', 'thread namespace id', 'parent type value metadata_type metadata versions', [
    'value',
    'metadata',
  ]),
  table('graph_channels', 'thread namespace channel version', 'type value', ['value']),
  table('graph_writes', 'thread namespace checkpoint task place', 'path channel type value', ['value']),
]

/** Tables whose rows no copy takes, with the reason. */
export const NOT_COPIED: Readonly<Record<string, string>> = {
  places: 'where people decide is told by those who use the copy',
  presences: 'a process of an agent is at home on its host; its task is copied',
  followers: 'processes that follow a thread at this moment',
  folds: 'each follows from its journal',
  daemon: 'a process of a host',
  daemons: 'processes of hosts',
  workers: 'processes that work here at this moment',
  hosts: 'each host says of itself that it is there',
  audit_pending: 'each record has its place in the log before a copy begins',
  audit_head: 'it follows from the log',
  secret: 'carried over with the last step',
  store_copy: 'what a copy notes about itself',
  schema_version: 'of the schema itself',
}

/** Bytes as a cell. */
export function bytesCell(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`
}

/** The bytes of a cell. */
export function cellBytes(cell: CopiedCell): Buffer {
  return Buffer.from(String(cell).slice(2), 'hex')
}

/** The row as a store of one machine keeps it: its tasks are of no host. */
export function withoutHost({ name, columns }: CopiedTable, row: CopiedRow): CopiedRow {
  return name === 'tasks' ? row.map((cell, n) => (columns[n] === 'host' ? null : cell)) : row
}

/** The place of a row of a table. */
export function keyOf({ key, columns }: CopiedTable, row: CopiedRow): CopiedKey {
  return key.map(column => row[columns.indexOf(column)] as string | number)
}
