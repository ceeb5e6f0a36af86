/** The subjects of values of flags and of words of commands, for the completion. */
import type { IdKind } from '../../compose/known-ids.ts'

export interface Values {
  readonly words?: readonly string[]
  readonly ids?: readonly IdKind[]
  readonly agents?: true
  readonly models?: true
  readonly files?: 'none' | 'files' | 'directories'
}

const PENDING: Values = { ids: ['call', 'hold'] }
const TASK_STATUSES = ['pending', 'running', 'paused', 'completed', 'failed', 'cancelled', 'timed_out']

/** By what the help calls the value. */
export const FLAG_VALUES: Readonly<Record<string, Values>> = {
  FILE: { files: 'files' },
  DIR: { files: 'directories' },
  RUN: { ids: ['run'] },
  SESSION: { ids: ['session'] },
  HOLD: { ids: ['hold'] },
  TASK: { ids: ['task'] },
}

/** By the name of the flag, if need be behind the name of its command. */
export const VALUES_BY_NAME: Readonly<Record<string, Values>> = {
  output: { words: ['text', 'json', 'stream-json'] },
  'pause-on': { words: ['approval', 'input', 'question'] },
  model: { models: true },
  agent: { agents: true, files: 'files' },
  'holds agent': { agents: true },
  'grants agent': { agents: true },
  checkpoint: { words: ['last'], ids: ['checkpoint', 'run', 'session'], files: 'files' },
  'tasks checkpoint': { ids: ['checkpoint'] },
  approve: PENDING,
  reject: PENDING,
  edit: PENDING,
  answer: PENDING,
  scope: { words: ['run', 'thread', 'project'] },
  'holds kind': { words: ['approval', 'question', 'input', 'client_tool', 'in_doubt'] },
  'holds status': { words: ['open', 'decided', 'expired', 'withdrawn', 'exported', 'all'] },
  'runs status': { words: ['running', 'ready', 'waiting', 'done'] },
  'tasks status': { words: TASK_STATUSES },
  'audit run': { ids: ['run'] },
  'audit session': { ids: ['session'] },
  'audit hold': { ids: ['hold'] },
}

/** The words that may follow a command, or a command and its word. */
export const COMMAND_WORDS: Readonly<Record<string, Values>> = {
  approve: PENDING,
  reject: PENDING,
  answer: PENDING,
  edit: PENDING,
  assign: PENDING,
  cancel: { ids: ['run', 'hold'] },
  show: { ids: ['hold', 'run', 'session', 'task', 'checkpoint'] },
  checkpoints: { ids: ['session'] },
  'threads show': { ids: ['session'] },
  'checkpoint export': { ids: ['checkpoint'] },
  'audit explain': { ids: ['run'] },
  'audit verify': { files: 'files' },
  'grants revoke': { ids: ['grant'] },
  'tasks show': { ids: ['task'] },
  'tasks logs': { ids: ['task'] },
  'tasks wait': { ids: ['task'] },
  'tasks cancel': { ids: ['task'] },
  'tasks resume': { ids: ['task'] },
}
