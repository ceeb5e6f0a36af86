/** The texts of what stores refuse, and of how they fail. */
import { refused } from '../core/errors.ts'
import { STORE_GONE } from '../core/store-gone.ts'
import { StoreError } from './store-error.ts'

// biome-ignore format: a refusal takes a line, and its hint a second one
export const storeRefusals = {
  unknownStore: (display: string) => refused('unknown_store', `${JSON.stringify(display)} names no store that Holdpoint can open.`,
    'Use sqlite:PATH (for example sqlite:.holdpoint/holdpoint.db), postgres://USER@HOST/DATABASE, or memory: .'),
  notCopied: (display: string) => refused('unknown_store', `${JSON.stringify(display)} names no store that can be copied.`,
    'Use sqlite:PATH or postgres://USER@HOST/DATABASE.'),
  misspelt: (display: string, what: string) => refused('unknown_store', `The store ${JSON.stringify(display)} ${what}${what.endsWith('?') ? '' : '.'}`,
    'Use postgres://USER@HOST/DATABASE, with ?schema=NAME for a schema of your choice.'),
  noTables: ({ schema, display }: { readonly schema: string; readonly display: string }) => refused('no_store', `There is no store here: the schema ${schema} of ${display} has no tables of Holdpoint, so nothing was run here yet.`,
    'Start a run with `holdpoint "…"`, or name another schema with ?schema=NAME. Nothing was made.'),
  textRefused: (column: string | null, character: string) => refused('store_text_refused', `${column === null ? 'A text' : `The ${column}`} has the character ${character}, which a store cannot keep. Nothing was written.`,
    'Leave the character out.', { details: { field: column, character } }),
  nulRefused: (column: string | undefined, table: string, place: string) => refused('store_text_refused', `The ${column} of ${table} ${JSON.stringify(place)} has a NUL character, which PostgreSQL cannot keep.`,
    'Copy to a file instead (sqlite:PATH), or give the copy up with --give-up.'),
  otherValue: (channel: string, thread: string, version: string) => refused('graph_conflict', `The channel ${JSON.stringify(channel)} of graph thread ${thread} has another value at version ${version}.`,
    'Let HoldpointSaver choose the versions of channels. Nothing was changed.'),
}

const NEWER = 'Use the Holdpoint that wrote it, or a newer one. Nothing was changed.'

// biome-ignore format: a failure takes a line, and its hint a second one
export const storeFailures = {
  closed: (display: string) => new StoreError('store_closed', `This Holdpoint was closed, and with it the store ${display}.`,
    { hint: 'Open another one, and close it when its last call is through. Nothing was changed.' }),
  threadFull: (threadId: string, most: number) => new StoreError('thread_full', `The journal of thread ${threadId} is full: it has ${most} events.`,
    { hint: 'Go on in a new thread.' }),
  graphUnreadable: (id: unknown, thread: unknown, problem: string) => new StoreError('graph_unreadable', `The checkpoint ${id} of graph thread ${thread} cannot be read: ${problem}.`,
    { hint: 'Go on from an earlier checkpoint of the graph, or restore the store from a backup.' }),
  newerFile: (path: string, version: number, known: number) => new StoreError('store_newer', `${path} has schema version ${version}; this Holdpoint knows up to ${known}.`,
    { hint: NEWER }),
  newerSchema: (schema: string, version: number, known: number) => new StoreError('store_newer', `The schema ${schema} has version ${version}; this Holdpoint knows up to ${known}.`,
    { hint: NEWER }),
  foreign: (path: string) => new StoreError('store_foreign', `${path} is the database of another program.`,
    { hint: 'Name a file of its own with --store. Nothing was changed.' }),
  gone: (path: string) => new StoreError(STORE_GONE, `The store ${path} was deleted or replaced while this process used it, so what it wrote last is not kept.`,
    { hint: 'See what was done last before you start it again: this process stopped, and told nothing of that.' }),
  logKept: (path: string) => new StoreError('store_log_kept', `The log of ${path} could not be written back: another process reads it.`,
    { hint: 'Try again when that process has ended.' }),
  fileGone: (path: string) => new StoreError('store_corrupt', `The store ${path} is damaged: its file is gone, and its log ${path}-wal is still there.`,
    { hint: `Put the file back beside its log, or restore a backup and delete ${path}-wal. Nothing was changed.` }),
  fileEmpty: (path: string, log: string) => new StoreError('store_corrupt', `The store ${path} is damaged: its file is empty.${log}`,
    { hint: 'Restore it from a backup, or name another with --store. If it never had a run, delete it. Nothing was changed.' }),
  fileLinked: (path: string, names: number) => new StoreError('store_linked', `The file of the store ${path} has ${names} names (hard links). Each name would have a log of its own, and the file would be damaged.`,
    { hint: `Find the other names with \`find DIRECTORY -samefile ${path}\`, and delete all but one. Nothing was changed.` }),
  unopenable: (path: string, cause: Error) => new StoreError('store_unopenable', `The store ${path} could not be opened: ${cause.message}.`,
    { hint: 'Check that the directory may be written, or name another place with --store.', cause }),
  /** Row level security shows nothing to other roles, and a store that looks empty would mislead. */
  hiddenRows: (schema: string) => new StoreError('store_denied', `The database hides the rows of the schema ${schema} from this user.`,
    { hint: 'Use the user that owns the tables, one that is a member of it, or one with BYPASSRLS. Nothing was changed.' }),
  readableByOthers: (path: string) => new StoreError('store_denied', `Others may read the file of passwords ${path}, so it is not used.`,
    { hint: `Run \`chmod 600 ${path}\`.` }),
  driverMissing: (cause: unknown) => new StoreError('store_driver_missing', 'A store in PostgreSQL needs the package pg, which is not installed.',
    { hint: 'Run `npm install pg` in the project, and run the command again.', cause }),
  commitUnknown: (display: string, cause: unknown) => new StoreError('store_commit_unknown', `The connection to the store ${display} was lost during a commit, so it is unknown whether anything was written.`,
    { hint: 'Once the database answers, look at the run, or ask for the same again: a decision or a message with the same id counts once.', cause, written: 'unknown' }),
}
