/** Checks what the command line prints: every story validates all of its documents, whatever else it looks at. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { EFFECT_FLAGS } from '../../src/hosts/cli/policy/effect-flags.ts'
import { type Given, HELP_FLAG, OUTPUT_FLAG, parseFlags, RUN_FLAGS } from '../../src/hosts/command/flags.ts'
import { commandNamed } from '../../src/hosts/entry/commands.ts'

const SCHEMAS = resolve(import.meta.dirname, '../../schemas')

type Name = string
/** The schema of one document, or of each line. */
type Form = { readonly document: Name } | { readonly line: Name }

const document = (name: Name): Form => ({ document: name })
const line = (name: Name): Form => ({ line: name })
const decided = (given: Given): Form => {
  if (!given.has('advance')) return document(given.words.length > 1 ? 'receipts' : 'receipt')
  return given.value('output') === 'stream-json' ? line('stream') : document('advanced')
}

const SHOWN: Readonly<Record<string, Name>> = {
  run: 'run',
  cp: 'run-at-checkpoint',
  th: 'session',
  task: 'task-details',
}
const NOTICES: Readonly<Record<string, Name>> = { retry: 'retried-notice', test: 'tested-channel' }
const TASKS: Readonly<Record<string, Name>> = {
  show: 'task-details',
  wait: 'task-wait',
  cancel: 'task',
  resume: 'task',
  logs: 'task-output',
}

const AGENTS: Readonly<Record<string, Name>> = {
  list: 'agents',
  show: 'background-agent-details',
  send: 'sent-message',
}

/** A new command says here what it prints. */
const FORMS: Readonly<Record<string, (given: Given) => Form>> = {
  holds: given => {
    if (given.words.length > 0) return document('started-work')
    return given.has('watch') ? line('hold-change') : document('holds')
  },
  approve: decided,
  reject: decided,
  answer: given => (given.has('advance') ? decided(given) : document('receipt')),
  edit: given => (given.has('advance') ? decided(given) : document('receipt')),
  undo: () => document('undone-effect'),
  assign: () => document('assignment'),
  cancel: given => document(given.words[0]?.startsWith('run_') ? 'cancellation' : 'receipt'),
  runs: given => {
    if (given.words[0] === 'release') return document('released-lease')
    return document(given.has('tree') ? 'run-tree' : 'runs')
  },
  show: ({ words: [id = ''] }) => document(SHOWN[id.split('_')[0] ?? ''] ?? 'hold'),
  threads: given => {
    if (given.words[0] !== 'show') return document('sessions')
    return document(given.has('human') ? 'human-session' : 'session')
  },
  context: ({ words }) => document(words.length > 2 ? 'dropped-part' : 'droppable-parts'),
  checkpoints: () => document('checkpoints'),
  checkpoint: () => document('exported-checkpoint'),
  trust: () => document('trust'),
  init: () => document('setup'),
  new: () => document('setup'),
  doctor: () => document('doctor'),
  'check-pending': () => document('pending-checks'),
  report: () => document('load-report'),
  audit: ({ words: [verb] }) => (verb === undefined ? line('audit-record') : document(AUDIT[verb] ?? '')),
  work: () => line('work-event'),
  policy: given => {
    const isEffect = EFFECT_FLAGS.some(flag => given.has(flag))
    return document(POLICY[given.words[0] ?? ''] ?? (isEffect ? 'effect-checks' : 'policy-check'))
  },
  grants: ({ words: [verb] }) => document(GRANT_VERBS[verb ?? ''] ?? 'grants'),
  prune: () => document('prune'),
  store: given => document(given.has('give-up') ? 'given-up-copy' : 'store-copy'),
  notices: ({ words: [verb] }) => document(NOTICES[verb ?? ''] ?? 'notices'),
  tokens: ({ words: [verb = 'list'] }) => document({ add: 'added-token', own: 'own-token' }[verb] ?? 'tokens'),
  inbox: () => document('inbox'),
  agents: given => {
    const [verb = 'list'] = given.words
    if (verb === 'logs') return line('event')
    if (verb === 'attach') return line(given.has('server') ? 'agent-news' : 'agent-frame')
    return document(given.has('wait') || verb === 'wait' ? 'rested-agent' : (AGENTS[verb] ?? 'background-agent'))
  },
  daemon: ({ words: [verb] }) => document(DAEMON[verb ?? ''] ?? 'daemon'),
  tasks: given =>
    given.has('follow') ? line('task-output-piece') : document(TASKS[given.words[0] ?? 'list'] ?? 'tasks'),
}

const GRANT_VERBS: Readonly<Record<string, Name>> = { add: 'grant', revoke: 'revocation' }
const DAEMON: Readonly<Record<string, Name>> = {
  start: 'daemon-status',
  status: 'daemon-status',
  stop: 'daemon-stop',
  gc: 'collected',
}
const POLICY: Readonly<Record<string, Name>> = { import: 'policy', suggest: 'policy-suggestions' }
const AUDIT: Readonly<Record<string, Name>> = { explain: 'audit-explanation', verify: 'audit-verification' }

/** @throws Error that tells which part of which document does not fit its schema. */
export function checkPrinted(args: readonly string[], stdout: string): void {
  if (stdout === '' || !asksForJson(args)) return
  const form = formOf(args)
  if (form === null) return
  if ('line' in form) for (const text of stdout.trimEnd().split('\n')) check(args, form.line, JSON.parse(text))
  else check(args, form.document, JSON.parse(stdout))
}

/** Checks the manifests of the pauses in a project. */
export function checkManifests(directory: string): void {
  const pauses = join(directory, '.holdpoint/session/pauses')
  if (!existsSync(pauses)) return
  for (const file of readdirSync(pauses).filter(name => name.endsWith('.json')))
    check([file], 'manifest', JSON.parse(readFileSync(join(pauses, file), 'utf8')))
}

function asksForJson(args: readonly string[]): boolean {
  const flags = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return /(?:^| )(?:--json|-[ah]*o ?(?:stream-)?json|--output[= ](?:stream-)?json)(?: |$)/.test(flags.join(' '))
}

/** `null` if it prints no document. A line that cannot be read is refused with one. */
function formOf(args: readonly string[]): Form | null {
  const command = commandNamed(args[0])
  const given = givenIn(args, command)
  if (given === null) return args.includes('stream-json') ? line('stream') : document('outcome')
  if (given.has('help') || given.has('version')) return null
  if (command === undefined) return given.value('output') === 'stream-json' ? line('stream') : document('outcome')
  if (PRINT_TEXT.includes(command.name)) return null
  const form = FORMS[command.name]
  if (form === undefined) throw new Error(`FORMS does not say what \`holdpoint ${command.name}\` prints.`)
  return form(given)
}

/** No program reads what these print. */
const PRINT_TEXT: readonly string[] = ['completion', 'demo', 'mcp']

function givenIn(args: readonly string[], command: ReturnType<typeof commandNamed>): Given | null {
  try {
    return command ? parseFlags([...command.flags, OUTPUT_FLAG, HELP_FLAG], args.slice(1)) : parseFlags(RUN_FLAGS, args)
  } catch {
    return null
  }
}

/** A union tells of each of its parts. */
const MOST_FAULTS = 40

interface Refusal {
  readonly outcome?: unknown
  readonly kind?: unknown
  readonly checkpoint_id?: unknown
}

/** A command that failed as a whole prints the document of every refusal. */
function check(args: readonly string[], expected: Name, printed: unknown): void {
  const { outcome, kind, checkpoint_id } = (printed ?? {}) as Refusal
  const isRefusal = (outcome === 'refused' || outcome === 'failed') && kind === undefined && checkpoint_id !== undefined
  const name = isRefusal ? 'outcome' : expected
  const { valid, errors } = validatorOf(name).validate(printed)
  if (valid) return
  const faults = errors.slice(0, MOST_FAULTS).map(({ instanceLocation, error }) => `  ${instanceLocation}: ${error}`)
  throw new Error(
    `What \`holdpoint ${args.join(' ')}\` prints does not fit schemas/${name}.schema.json:\n${faults.join('\n')}\n${JSON.stringify(printed, null, 2)}`,
  )
}

const validators = new Map<Name, Validator>()

function validatorOf(name: Name): Validator {
  const known = validators.get(name)
  if (known) return known
  const validator = new Validator(
    closed(JSON.parse(readFileSync(join(SCHEMAS, `${name}.schema.json`), 'utf8'))),
    '2020-12',
  )
  validators.set(name, validator)
  return validator
}

/** No document has a key that its schema does not name. */
// biome-ignore lint/suspicious/noExplicitAny: a schema is any JSON
function closed(schema: any): any {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isObject = typeof schema.properties === 'object'
  return isObject && schema.additionalProperties === undefined ? { ...inner, additionalProperties: false } : inner
}
