import { refused } from '../../core/errors.ts'
import type { RefusalCode } from '../../core/refusal-codes.ts'
import { PAUSE_KINDS, type PauseKind } from '../../core/run/profile.ts'
import type { RunWarning } from '../../core/run/warnings/run-warning.ts'
import type { Choices } from '../../runtime/pauses/chosen-decisions.ts'
import type { ProfileRequest } from '../agents/profile/run-profile.ts'
import type { Given } from '../command/flags.ts'
import { readBudget } from '../command/read-budget.ts'
import { readChoices } from '../command/read-choices.ts'
import { pipedStdin } from '../process/piped-stdin.ts'
import { readText } from '../process/read-text.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'

/** An invocation, read and free of contradictions; nothing was looked up yet. */
export interface RunRequest extends ProfileRequest {
  readonly prompt: string | null
  readonly checkpoint: string | null
  /** `null` if no decision was given. */
  readonly choices: Choices | null
  /** Asks no person at the terminal. */
  readonly async: boolean
  /** A pause ends this process, in a terminal too. */
  readonly noAsk: boolean
  readonly finish: boolean
  readonly fork: boolean
  /** If another process advances the run: wait until it waits or is done, and report its outcome. */
  readonly attend: boolean
  readonly store: string | null
  readonly keyFile: string | null
  readonly verbose: boolean
  /** Shows nothing of what happens, only what came of it. */
  readonly quiet: boolean
  /** Exit with 1 if calls were refused without a person. */
  readonly failOnRefusal: boolean
  /** What a person should know of the invocation itself. */
  readonly warnings: readonly RunWarning[]
}

/** @throws RefusedError for what contradicts itself. */
export async function readRequest(given: Given): Promise<RunRequest> {
  const choices = await readChoices(given)
  const tools = given.values('tool')
  const request: RunRequest = {
    prompt: await readPrompt(given),
    checkpoint: given.value('checkpoint'),
    choices,
    async: given.has('async'),
    noAsk: given.has('no-ask'),
    finish: given.has('finish'),
    fork: given.has('fork'),
    attend: given.has('attend'),
    pauseOn: readPauseOn(given),
    model: given.value('model'),
    agent: given.value('agent'),
    tools: tools.length > 0 ? [...new Set(tools)] : null,
    maxSteps: readMaxSteps(given),
    budget: readBudget(given),
    policy: given.value('policy'),
    workdir: given.value('workdir'),
    systemPrompt: await readSystemPrompt(given),
    store: given.value('store'),
    keyFile: given.value('key-file'),
    verbose: given.has('verbose'),
    quiet: given.has('quiet'),
    failOnRefusal: given.has('fail-on-refusal'),
    warnings: [],
  }
  refuseContradictions(request)
  return namesStdin(given) ? request : await withPiped(request)
}

/** True if a text is read from stdin by name, so that it is not beside the prompt. */
function namesStdin(given: Given): boolean {
  const files = ['prompt-file', 'system-prompt-file', 'key-file']
  return isDash(given) || files.some(flag => given.value(flag) === '-')
}

const SILENT_STDIN: RunWarning = {
  code: 'silent_stdin',
  message: 'The standard input is open, but nothing came of it in three seconds, so the prompt goes without it.',
  hint: 'With `< /dev/null` nothing is waited for. A slow program writes to a file first, and that is piped.',
}

/** `git diff | holdpoint "review this"`: the text of stdin goes behind the prompt. */
async function withPiped(request: RunRequest): Promise<RunRequest> {
  if (request.prompt === null) return request
  const piped = await pipedStdin()
  if (piped === 'silent') return { ...request, warnings: [SILENT_STDIN] }
  if (piped === 'nothing' || piped.text.trim() === '') return request
  return { ...request, prompt: `${request.prompt}\n\nStandard input:\n${piped.text}` }
}

type Contradiction = readonly [
  holds: (request: RunRequest) => boolean,
  code: RefusalCode,
  message: string,
  hint: string,
]

const CONTRADICTIONS: readonly Contradiction[] = [
  [
    r => r.quiet && r.verbose,
    'invalid_arguments',
    '--quiet and --verbose were given together.',
    'Give one of them, or none.',
  ],
  [
    r => r.choices !== null && r.prompt !== null,
    'decisions_with_text',
    'Decisions and a text were given together.',
    'Give one of them.',
  ],
  [
    r => r.finish && (r.choices !== null || r.prompt !== null),
    'finish_with_more',
    '--finish goes with neither decisions nor a text.',
    'Give --finish alone.',
  ],
  [
    r => r.attend && (r.choices !== null || r.prompt !== null || r.finish || r.fork),
    'attend_with_more',
    '--attend says nothing to the run, so it goes with no decision, text, --finish or --fork.',
    'Give -c CHECKPOINT_ID --attend alone, or leave --attend out.',
  ],
  [
    r => r.checkpoint === null && (r.choices !== null || r.finish || r.fork || r.attend),
    'no_checkpoint',
    'A decision needs the checkpoint that it is about.',
    'Add -c CHECKPOINT_ID, as the paused run printed it.',
  ],
  [
    r => r.checkpoint === null && r.prompt === null,
    'no_prompt',
    'There is nothing to do: no prompt was given.',
    'Write `holdpoint "what to do"`, or `holdpoint -` to read it from stdin. See `holdpoint --help`.',
  ],
  [
    r => r.checkpoint === null && r.prompt?.trim() === '',
    'empty_prompt',
    'The prompt is empty.',
    'Give the prompt as text.',
  ],
  [r => r.prompt?.trim() === '', 'empty_answer', 'The answer is empty.', 'Give the answer as text.'],
]

function refuseContradictions(request: RunRequest): void {
  for (const [holds, code, message, hint] of CONTRADICTIONS) {
    if (holds(request)) throw refused(code, message, hint)
  }
}

/** A single `-` is stdin, byte for byte; words after `--` are joined with blanks. */
async function readPrompt(given: Given): Promise<string | null> {
  const file = given.value('prompt-file')
  if (file !== null && given.words.length > 0) {
    throw argumentRefusals.twoPrompts()
  }
  if (file !== null) return readText(file, 'The prompt')
  if (given.words.length === 0) return null
  return isDash(given) ? readText('-', 'The prompt') : given.words.join(' ')
}

function isDash({ words, literal }: Given): boolean {
  return words.length === 1 && words[0] === '-' && !literal
}

async function readSystemPrompt(given: Given): Promise<string | null> {
  const file = given.value('system-prompt-file')
  return file === null ? null : readText(file, 'The system prompt')
}

function readPauseOn(given: Given): readonly PauseKind[] | null {
  const list = given.value('pause-on')
  const all = given.has('pause-on-approval')
  if (list === null) return all ? PAUSE_KINDS : null
  const kinds = list.split(',').map(kind => kind.trim())
  const unknown = kinds.find(kind => !(PAUSE_KINDS as readonly string[]).includes(kind))
  if (unknown !== undefined) {
    throw argumentRefusals.unknownPause(unknown, PAUSE_KINDS.join(','))
  }
  return all ? PAUSE_KINDS : PAUSE_KINDS.filter(kind => kinds.includes(kind))
}

function readMaxSteps(given: Given): number | null {
  const text = given.value('max-steps')
  if (text === null) return null
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw argumentRefusals.invalidCount('max-steps', text, 'Write --max-steps 20.')
}
